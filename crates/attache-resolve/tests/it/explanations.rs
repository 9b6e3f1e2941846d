//! What a person reads when there is no answer.

use attache_resolve::Failure;

use crate::dsl::Text;

/// Every sentence of a failure, one a line.
#[track_caller]
fn told(text: &str) -> String {
    match Text::read(text).resolve() {
        Err(Failure::Conflict(conflict)) => {
            assert!(conflict.is_minimal, "{conflict:#?}");
            conflict.explanation.join("\n")
        }
        Err(Failure::Cycle { explanation, .. }) => explanation.join("\n"),
        Err(failure) => failure.to_string(),
        Ok(answer) => panic!("{answer:#?}"),
    }
}

#[test]
fn two_requirements_on_one_package() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: b ^1
        a 1.1.0: b ^1.2.0
        a 2.0.0: b ^1
        b 1.0.0
        b 1.3.0
        b 2.0.0
        c 1.0.0
        want a ^1, b ^2, c *"
    ));
}

#[test]
fn a_diamond_that_does_not_close() {
    insta::assert_snapshot!(told(
        "
        root app 1.0.0
        left 1.0.0: tip ^1
        left 1.1.0: tip ^1
        right 1.0.0: tip ^2
        right 2.0.0: tip ^3
        tip 1.0.0
        tip 2.0.0
        tip 3.0.0
        noise 1.0.0: tip *
        want left *, right *, noise *"
    ));
}

#[test]
fn no_version_in_a_range() {
    insta::assert_snapshot!(told(
        "
        registries main other
        bind a main
        a 1.0.0
        a 5.1.0-beta.1
        a 5.2.0 yanked
        a 5.3.0 @other
        want a ^5"
    ));
}

#[test]
fn a_need_that_is_nowhere() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: researchr ^1
        researcher 1.0.0
        want a *"
    ));
}

#[test]
fn a_host_that_does_not_have_it() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: platform windows/amd64
        a 2.0.0: engine lexichord >=3.0.0, runtime node >=20
        a 3.0.0: runtime python >=3.13
        host linux/amd64/glibc engine:lexichord=2.1.0 runtime:python=3.12.1
        want a >=2"
    ));
}

#[test]
fn an_override_that_nothing_meets() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: b ^1
        b 1.0.0
        b 1.4.0
        override b ^9
        want a *"
    ));
}

#[test]
fn a_chain_through_many_versions() {
    let versions: Vec<String> = (0..12).map(|n| format!("a 1.{n}.0: b ^1.{n}.0")).collect();
    insta::assert_snapshot!(told(&format!(
        "{}\nb 1.20.0: c ^2\nc 1.0.0\nc 2.0.0\nwant a *, c ^1",
        versions.join("\n")
    )));
}

#[test]
fn more_than_one_conflict() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: b ^9
        b 1.0.0: c ^9
        c 1.0.0
        want a *, b ^8"
    ));
}

#[test]
fn a_cycle() {
    insta::assert_snapshot!(told(
        "
        a 1.0.0: b *
        b 1.0.0: c *
        c 1.0.0: a *, b *
        want a *"
    ));
}

#[test]
fn an_unknown_name() {
    insta::assert_snapshot!(told("researcher 1.0.0\nwant reseacher *, quite-other *"));
}

#[test]
fn what_is_left_out_says_why() {
    let text = Text::read(
        "
        a 1.0.0: b? ^2, c? *, d? ^2, e? *, f? *, gh? *, z ^1
        b 1.0.0
        b 2.0.0: z ^2
        c 1.0.0: platform windows/amd64
        d 1.0.0
        e 1.0.0: a *
        f 1.0.0: z ^1.1.0
        ghi 1.0.0
        z 1.0.0
        z 2.0.0
        host linux/amd64
        want a *",
    );
    let answer = text.resolve().unwrap();
    let reasons = answer.left_out.iter();
    let reasons: Vec<String> = reasons.map(|l| format!("{}: {}", l.id, l.reason)).collect();
    insta::assert_snapshot!(reasons.join("\n"));
}

#[test]
fn only_packages_that_are_involved_are_named() {
    let told = told(
        "
        a 1.0.0: x *, noise-one *
        x 1.0.0: y ^1, noise-two *
        y 1.0.0
        y 2.0.0
        noise-one 1.0.0: noise-two *
        noise-two 1.0.0
        want a *, noise-one *, y ^2",
    );
    assert!(!told.contains("noise"), "{told}");
}
