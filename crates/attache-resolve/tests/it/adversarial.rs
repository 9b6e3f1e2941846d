//! Shapes made to be hard: an answer, or a clear word that there is none within bounds.

use std::cell::Cell;

use attache_resolve::{Failure, Limits, resolve};

use crate::dsl::{Text, written};

/// `pigeons` packages that each need one of `holes` versions of a hole of its own, where no two
/// may sit in the same: unsolvable if there are fewer holes than pigeons, and no short proof
/// exists for the way a solver reasons.
fn pigeons(pigeons: usize, holes: usize) -> String {
    let mut lines = Vec::new();
    for pigeon in 0..pigeons {
        for hole in 0..holes {
            // Sitting in a hole fixes who sits there.
            lines.push(format!(
                "pigeon{pigeon} {hole}.0.0: hole{hole} {pigeon}.0.0"
            ));
        }
    }
    for hole in 0..holes {
        lines.extend((0..pigeons).map(|pigeon| format!("hole{hole} {pigeon}.0.0")));
    }
    let wanted: Vec<String> = (0..pigeons).map(|p| format!("pigeon{p} *")).collect();
    lines.push(format!("want {}", wanted.join(", ")));
    lines.join("\n")
}

#[test]
fn pigeons_with_a_hole_each_find_it() {
    let answer = Text::read(&pigeons(6, 6)).resolve();
    assert_eq!(answer.unwrap().packages.len(), 12);
}

#[test]
fn a_hopeless_search_gives_up_after_the_steps_it_was_given() {
    let mut text = Text::read(&pigeons(12, 11));
    text.request.limits.steps = 300;
    match text.resolve() {
        Err(Failure::GaveUp { steps }) => assert!((200..=300).contains(&steps), "{steps}"),
        other => panic!("{}", written(&other)),
    }
}

#[test]
fn a_ring_of_thousands_is_told_at_once_and_briefly() {
    let mut lines: Vec<String> = (0..5_000)
        .map(|at| format!("p{at} 1.0.0: p{} *", (at + 1) % 5_000))
        .collect();
    lines.push("want p0 *".to_owned());
    let begun = std::time::Instant::now();
    let Err(Failure::Cycle {
        paths, explanation, ..
    }) = Text::read(&lines.join("\n")).resolve()
    else {
        panic!("every choice is circular");
    };
    assert_eq!((paths.len(), paths[0].len()), (1, 5_001));
    assert!(explanation[1].len() < 500, "{}", explanation[1]);
    // Ruling it out by search takes minutes.
    assert!(begun.elapsed().as_secs() < 20);
}

#[test]
fn an_explanation_that_takes_too_long_is_given_as_far_as_it_got() {
    let mut text = Text::read(&pigeons(4, 3));
    text.request.limits = Limits {
        explanation_steps: 5,
        ..Limits::default()
    };
    let Err(Failure::Conflict(conflict)) = text.resolve() else {
        panic!("four pigeons do not fit");
    };
    assert!(!conflict.is_minimal);
    assert!(!conflict.explanation.is_empty());
}

#[test]
fn the_caller_can_interrupt_at_any_step() {
    let text = Text::read(&pigeons(3, 2));
    let universe = text.universe();
    let mut at = 0;
    // Until an explanation is done with and nobody asks any more.
    loop {
        let asked = Cell::new(0);
        let interrupted = || {
            asked.set(asked.get() + 1);
            asked.get() > at
        };
        let mut request = text.request.clone();
        request.interrupted = Some(&interrupted);
        match resolve(&universe, &request) {
            Err(Failure::Interrupted) => {}
            Err(Failure::Conflict(_)) => break,
            other => panic!("{}", written(&other)),
        }
        assert_eq!(asked.get(), at + 1);
        at += 1;
    }
    assert!(at > 20, "{at}");
}

#[test]
fn an_optional_dependency_that_is_too_hard_is_left_out() {
    let puzzle = pigeons(12, 11);
    let (universe, wanted) = puzzle.split_once("want ").unwrap();
    let mut text = Text::read(&format!(
        "{universe}\npuzzle 1.0.0: {wanted}\nplain 1.0.0: puzzle? *\nwant plain *"
    ));
    text.request.limits.steps = 300;
    let answer = text.resolve();
    assert_eq!(written(&answer), "plain 1.0.0, without puzzle");
    let reason = &answer.unwrap().left_out[0].reason;
    assert!(
        reason.starts_with("No way to fit it in was found within 2"),
        "{reason}"
    );
}

#[test]
fn a_long_chain_and_its_proof_do_not_overflow() {
    let length = 3000;
    let mut lines: Vec<String> = (0..length)
        .map(|at| format!("p{at} 1.0.0: p{} *", at + 1))
        .collect();
    lines.push("want p0 *".to_owned());
    let end = |last: &str| format!("{}\n{last}", lines.join("\n"));
    let answer = Text::read(&end(&format!("p{length} 1.0.0"))).resolve();
    assert_eq!(answer.unwrap().packages.len(), length + 1);

    let mut text = Text::read(&end(&format!("p{length} 1.0.0: ghost *")));
    // Every link is needed for the conflict; making sure of that is quadratic, and bounded.
    text.request.limits.explanation_steps = 10_000;
    let Err(Failure::Conflict(conflict)) = text.resolve() else {
        panic!("there is no ghost");
    };
    assert_eq!(conflict.requirements.len(), length + 2);
}

#[test]
fn many_cycles_end_with_some_of_them() {
    // Everyone needs everyone.
    let everyone: Vec<String> = (0..15).map(|n| format!("p{n} *")).collect();
    let mut lines: Vec<String> = (0..15)
        .map(|n| format!("p{n} 1.0.0: {}", everyone.join(", ")))
        .collect();
    lines.push("want p0 *".to_owned());
    let Err(Failure::Cycle {
        paths, complete, ..
    }) = Text::read(&lines.join("\n")).resolve()
    else {
        panic!("there is no way out");
    };
    assert_eq!(paths.len(), Limits::default().cycles);
    assert!(!complete);
}
