//! Universes written by hand: each shows one thing that an answer must do.

use attache_resolve::{Artifact, Entry, Failure, InvalidUniverse, Universe, find_cycles};

use crate::dsl::{Text, check, name};

#[test]
fn the_highest_that_fits_is_taken_and_the_lowest_on_request() {
    let universe = "
        a 1.0.0: b ^1
        a 1.1.0: b ^1
        a 2.0.0: b ^1
        b 1.0.0
        b 1.5.0
        b 2.0.0
        want a ^1";
    check(universe, "a 1.1.0, b 1.5.0");
    check(&format!("{universe}\nstrategy lowest"), "a 1.0.0, b 1.0.0");
}

#[test]
fn nothing_wanted_needs_nothing() {
    check("a 1.0.0", "");
}

#[test]
fn several_roots_are_resolved_together() {
    check(
        "
        a 1.0.0: c ^1
        b 1.0.0: c <=1.2.0
        c 1.0.0
        c 1.2.0
        c 1.3.0
        want a *, b *",
        "a 1.0.0, b 1.0.0, c 1.2.0",
    );
    // The same package twice: both count.
    check("a 1.0.0\na 1.5.0\nwant a ^1, a <1.5", "a 1.0.0");
}

#[test]
fn a_shared_dependency_bends_to_what_was_asked_for() {
    check(
        "
        a 1.0.0: shared *
        b 1.0.0: shared *
        b 2.0.0: shared ^1
        shared 1.0.0
        shared 2.0.0
        want a *, b *",
        "a 1.0.0, b 2.0.0, shared 1.0.0",
    );
}

#[test]
fn many_wishes_are_as_good_as_few() {
    // More than the solver gets at once, and one of the last decides about the first.
    let mut lines: Vec<String> = (0..200).map(|n| format!("p{n:03} 1.0.0")).collect();
    lines.push("p000 2.0.0".to_owned());
    let wanted: Vec<String> = (0..200).map(|n| format!("p{n:03} *")).collect();
    let wanted = wanted.join(", ");
    let text = format!("{}\nwant {wanted}, p199 *, p000 ^1", lines.join("\n"));
    let answer = Text::read(&text).resolve().unwrap();
    assert_eq!(answer.packages.len(), 200);
    assert_eq!(answer.packages[0].version.to_string(), "1.0.0");
    check(&format!("{text}, p000 ^2"), "conflict of 2");
}

#[test]
fn a_diamond_gets_one_version_at_its_tip() {
    check(
        "
        top 1.0.0: left *, right *
        left 1.0.0: tip >=1.0.0 <3.0.0
        right 1.0.0: tip >=2.0.0
        tip 1.0.0
        tip 2.0.0
        tip 3.0.0
        want top *",
        "left 1.0.0, right 1.0.0, tip 2.0.0, top 1.0.0",
    );
}

#[test]
fn a_trap_is_backed_out_of() {
    // The newest of each leads nowhere, and only the oldest `a` allows an answer.
    check(
        "
        a 3.0.0: b ^3
        a 2.0.0: b ^2
        a 1.0.0: b ^1
        b 3.0.0: c ^9
        b 2.0.0: d ^2
        b 1.0.0: d ^1
        c 1.0.0
        d 1.0.0
        d 2.0.0: e ^1
        e 1.0.0: d ^1
        want a *",
        "a 1.0.0, b 1.0.0, d 1.0.0",
    );
    // What a version that was tried and dropped needed is not in the answer.
    check(
        "
        a 2.0.0: extra *, b ^2
        a 1.0.0: b ^1
        b 1.0.0
        extra 1.0.0
        want a *",
        "a 1.0.0, b 1.0.0",
    );
}

#[test]
fn a_cycle_is_avoided_where_it_can_be() {
    check(
        "
        a 2.0.0: b *
        a 1.0.0
        b 1.0.0: a *
        want a *",
        "a 1.0.0",
    );
    // Three ways round, and a version of the last that does not go on.
    check(
        "
        a 1.0.0: b *
        b 1.0.0: c *
        c 1.0.0
        c 2.0.0: a *
        c 3.0.0: b *
        want a *",
        "a 1.0.0, b 1.0.0, c 1.0.0",
    );
}

#[test]
fn a_cycle_that_cannot_be_avoided_is_reported_as_its_paths() {
    check("a 1.0.0: b *\nb 1.0.0: a *\nwant a *", "cycle a → b → a");
    check("a 1.0.0: a *\nwant a *", "cycle a → a");
    check(
        "
        d 1.0.0: c *, b *
        c 1.0.0: b *
        b 1.0.0: d *
        want c *",
        "cycle b → d → b, b → d → c → b",
    );
    // All versions are circular, and none in the same way.
    check(
        "
        a 1.0.0: b *
        a 2.0.0: c *
        b 1.0.0: a *
        c 1.0.0: a *
        want a *",
        "cycle a → c → a",
    );
}

#[test]
fn a_package_that_needs_another_version_of_itself_is_no_choice() {
    check("a 1.0.0\na 2.0.0: a ^1\nwant a *", "a 1.0.0");
    check("a 2.0.0: a ^1\nwant a *", "conflict of 2");
}

#[test]
fn cycles_are_found_before_the_solve_and_up_to_a_limit() {
    let mut text = Text::read(
        "
        a 1.0.0
        a 2.0.0: b *
        b 1.0.0: a *, c *
        c 1.0.0: a ^2, ghost *
        far 1.0.0: far *
        want a *",
    );
    let paths = |text: &Text| {
        let found = find_cycles(&text.universe(), &text.request);
        assert_eq!(
            found.has_circular_dependencies,
            !found.cycle_paths.is_empty()
        );
        let paths = found.cycle_paths.iter();
        let paths: Vec<String> = paths
            .map(|path| {
                path.iter()
                    .map(attache_package::PackageName::as_str)
                    .collect()
            })
            .collect();
        (paths.join(" "), found.is_complete)
    };
    assert_eq!(paths(&text), ("aba abca".to_owned(), true));
    text.request.limits.cycles = 1;
    assert_eq!(paths(&text), ("aba".to_owned(), false));
    // The cycle is no error: another version goes without.
    text.request.wanted[0].range = "^1".parse().unwrap();
    assert_eq!(paths(&text), (String::new(), true));
}

#[test]
fn an_optional_dependency_is_taken_when_it_fits() {
    check(
        "a 1.0.0: b? ^1\nb 1.0.0: c *\nc 1.0.0\nwant a *",
        "a 1.0.0, b 1.0.0, c 1.0.0",
    );
    check("a 1.0.0\nb 1.0.0\nwant a *, b? *", "a 1.0.0, b 1.0.0");
    // The optional one of an optional one.
    check(
        "a 1.0.0: b? *\nb 1.0.0: c? *\nc 1.0.0: d? *\nwant a *",
        "a 1.0.0, b 1.0.0, c 1.0.0, without d",
    );
}

#[test]
fn an_optional_dependency_is_left_out_when_it_does_not_fit() {
    for (wish, universe) in [
        ("no such version", "b 1.0.0"),
        ("its own need conflicts", "b 2.0.0: c ^2"),
        ("its need is not there", "b 2.0.0: nowhere *"),
        ("not on this host", "b 2.0.0: platform windows/amd64"),
        ("it would close a cycle", "b 2.0.0: a *"),
        ("it was taken back", "b 2.0.0 yanked"),
    ] {
        let text = format!(
            "a 1.0.0: b? ^2, c ^1\nc 1.0.0\nc 2.0.0\n{universe}
            host linux/amd64\nwant a *"
        );
        let answer = Text::read(&text).resolve().expect(wish);
        assert_eq!(answer.left_out.len(), 1, "{wish}");
        assert_eq!(answer.packages.len(), 2, "{wish}");
        let reason = &answer.left_out[0].reason;
        assert!(
            reason.len() > 10 && reason.ends_with('.'),
            "{wish}: {reason}"
        );
    }
    check("want a? *", "without a");
}

#[test]
fn an_optional_dependency_never_changes_what_is_required() {
    check(
        "
        a 1.0.0: b? *, c *
        b 1.0.0: c ^1
        c 1.0.0
        c 2.0.0
        want a *",
        "a 1.0.0, c 2.0.0, without b",
    );
    // An older one fits beside it.
    check(
        "
        a 1.0.0: b? *, c *
        b 1.0.0: c *
        b 2.0.0: c ^1
        c 1.0.0
        c 2.0.0
        want a *",
        "a 1.0.0, b 1.0.0, c 2.0.0",
    );
}

#[test]
fn optional_dependencies_that_exclude_each_other_are_taken_in_order() {
    let text = "
        a 1.0.0: x? *, y? *
        x 1.0.0: z ^1
        y 1.0.0: z ^2
        z 1.0.0
        z 2.0.0
        want a *";
    check(text, "a 1.0.0, x 1.0.0, z 1.0.0, without y");
    let answer = Text::read(text).resolve().unwrap();
    let optional = |id| answer.get(&name(id)).unwrap().optional;
    assert!(!optional("a") && optional("x") && optional("z"));
}

#[test]
fn a_prerelease_is_taken_only_when_a_range_names_it() {
    let universe = "
        a 1.0.0
        a 2.0.0-beta.1
        a 2.0.0-beta.2
        a 3.0.0-beta.1";
    let check =
        |range: &str, expected: &str| check(&format!("{universe}\nwant a {range}"), expected);
    check("*", "a 1.0.0");
    check(">=1.0.0", "a 1.0.0");
    check("^2.0.0-beta.1", "a 2.0.0-beta.2");
    check("2.0.0-beta.1", "a 2.0.0-beta.1");
    check(">=1.0.0 || 3.0.0-beta.1", "a 3.0.0-beta.1");
    check("^2.0.0", "conflict of 1");
}

#[test]
fn build_metadata_tells_versions_apart_but_not_ranges() {
    check("a 1.0.0+one\na 1.0.0+two\nwant a 1.0.0", "a 1.0.0+two");
    check(
        "a 1.0.0+one\na 1.0.0+two\nlock a 1.0.0+one\nwant a 1.0.0",
        "a 1.0.0+one",
    );
}

#[test]
fn a_yanked_version_stays_only_where_the_lock_holds_it() {
    let universe = "a 1.0.0\na 1.1.0 yanked\nwant a *";
    check(universe, "a 1.0.0");
    check(&format!("{universe}\nlock a 1.1.0"), "a 1.1.0");
    // Another locked version is no reason to take it.
    check(&format!("{universe}\nlock a 1.0.0"), "a 1.0.0");
    check("a 1.1.0 yanked\nwant a *", "conflict of 1");
    let answer = Text::read(&format!("{universe}\nlock a 1.1.0"))
        .resolve()
        .unwrap();
    assert!(answer.packages[0].yanked);
}

#[test]
fn what_the_lock_holds_is_kept_wherever_it_fits() {
    let universe = "
        a 1.0.0: c ^1
        a 1.1.0: c ^1
        b 1.0.0: c ^1
        b 2.0.0: c >=1.2.0
        c 1.0.0
        c 1.2.0
        c 1.3.0
        lock a 1.0.0
        lock c 1.0.0";
    check(&format!("{universe}\nwant a *"), "a 1.0.0, c 1.0.0");
    // The newcomer bends to the lock, not the lock to the newcomer.
    check(
        &format!("{universe}\nwant a *, b *"),
        "a 1.0.0, b 1.0.0, c 1.0.0",
    );
    // Unless it must, and then only where it must.
    check(
        &format!("{universe}\nwant a *, b ^2"),
        "a 1.0.0, b 2.0.0, c 1.3.0",
    );
    check(&format!("{universe}\nwant a ^1.1.0"), "a 1.1.0, c 1.0.0");
    // A lock of what nobody needs, or of what is gone, is no harm.
    check(
        &format!("{universe}\nlock b 9.0.0\nlock zzz 1.0.0\nwant b ^1"),
        "b 1.0.0, c 1.0.0",
    );
}

#[test]
fn an_override_replaces_every_other_requirement() {
    let text = "
        a 1.0.0: c ^1
        b 1.0.0: c ^2
        c 1.0.0
        c 2.0.0
        c 3.0.0
        override c ^3
        override nobody ^1
        want a *, b *, c <3";
    check(text, "a 1.0.0, b 1.0.0, c 3.0.0");
    let answer = Text::read(text).resolve().unwrap();
    let told: Vec<String> = answer
        .overrides
        .iter()
        .map(|o| {
            let replaced = o.replaced.iter().map(|r| r.range.to_string());
            format!("{} {} {:?}", o.id, o.range, replaced.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(told, [r#"c ^3 ["<3", "^1", "^2"]"#, "nobody ^1 []"]);
}

#[test]
fn the_host_is_part_of_the_graph() {
    let universe = "
        a 1.0.0: engine lexichord >=1.0.0
        a 2.0.0: engine lexichord >=3.0.0
        a 3.0.0: platform darwin/arm64
        a 4.0.0: runtime python >=3.13
        a 5.0.0: runtime node
        a 6.0.0: platform linux/amd64/musl
        want a *";
    let check = |host: &str, expected: &str| check(&format!("{universe}\n{host}"), expected);
    check(
        "host linux/amd64/glibc engine:lexichord=2.0.0 runtime:python=3.12.0",
        "a 1.0.0",
    );
    check("host linux/amd64/musl", "a 6.0.0");
    check("host linux/amd64/glibc engine:lexichord=3.1.0", "a 2.0.0");
    check("host darwin/arm64", "a 3.0.0");
    check(
        "host linux/arm64/glibc runtime:python=3.14.0-rc.1",
        "a 4.0.0",
    );
    check("host linux/arm64 runtime:node=20.0.0", "a 5.0.0");
    check("host windows/amd64 engine:lexichord=0.1.0", "conflict of 7");
    // Nobody can look for a host program: one that is not named is not missed.
    check("host windows/amd64", "a 2.0.0");
    // Nothing said of the host: nothing is held against it.
    check("", "a 6.0.0");
}

#[test]
fn the_root_has_needs_of_its_own() {
    let text = "a 1.0.0\nroot app 1.0.0\nneeds engine lexichord ^2\nwant a *\nhost linux/amd64";
    check(&format!("{text} engine:lexichord=2.1.0"), "a 1.0.0");
    check(&format!("{text} engine:lexichord=1.0.0"), "conflict of 1");
}

#[test]
fn a_higher_version_elsewhere_is_never_taken() {
    let universe = "
        registries public private
        com.acme.agent 1.0.0 @private: com.acme.tool *
        com.acme.tool 1.0.0 @private
        com.acme.tool 99.0.0 @public
        com.acme 99.0.0 @public
        other 1.0.0 @public
        other 99.0.0 @private";
    let bound = format!("{universe}\nbind com.acme private");
    check(
        &format!("{bound}\nwant com.acme.agent *"),
        "com.acme.agent 1.0.0, com.acme.tool 1.0.0",
    );
    check(&format!("{bound}\nwant com.acme.tool ^99"), "conflict of 1");
    check(&format!("{bound}\nwant com.acme *"), "conflict of 1");
    // Unbound, a package comes from the first registry that has it at all, and from no other.
    check(&format!("{bound}\nwant other *"), "other 1.0.0");
    check(
        &format!("{universe}\nwant com.acme.tool *"),
        "com.acme.tool 99.0.0",
    );
    // The longest namespace counts, and only whole parts of a name.
    let longer = format!("{bound}\nbind com.acme.tool public\ncom.acmetool 1.0.0 @public");
    check(
        &format!("{longer}\nwant com.acme.tool *, com.acmetool *"),
        "com.acme.tool 99.0.0, com.acmetool 1.0.0",
    );

    let answer = Text::read(&format!("{bound}\nwant com.acme.agent *"))
        .resolve()
        .unwrap();
    let tool = answer.get(&name("com.acme.tool")).unwrap();
    assert_eq!(tool.registry, "private");
    assert_eq!(tool.namespace.as_deref(), Some("com.acme"));
}

#[test]
fn what_was_locked_stays_at_its_registry_unless_a_namespace_says_otherwise() {
    let universe = "
        registries first second
        a 2.0.0 @first
        a 1.0.0 @second
        a 1.1.0 @second
        want a *";
    check(&format!("{universe}\nlock a 1.0.0 @second"), "a 1.0.0");
    check(&format!("{universe}\nlock a 1.0.5 @second"), "a 1.1.0");
    check(&format!("{universe}\nlock a 1.0.0 @gone"), "a 2.0.0");
    check(
        &format!("{universe}\nbind a first\nlock a 1.0.0 @second"),
        "a 2.0.0",
    );
}

#[test]
fn an_unknown_package_comes_with_names_that_are_known() {
    let text = "researcher 1.0.0\nsearcher 1.0.0\nwant reseracher *, zzz *";
    let Err(Failure::UnknownPackage { packages }) = Text::read(text).resolve() else {
        panic!("nobody has these");
    };
    assert_eq!(packages[0].id, name("reseracher"));
    assert_eq!(
        packages[0].did_you_mean,
        [name("researcher"), name("searcher")]
    );
    assert_eq!(packages[1].did_you_mean, []);
    // A name that others depend on and nobody has is just as unknown.
    check("a 1.0.0: ghost *\nwant ghost *", "ATT-RESOLVE-UNKNOWN");
}

#[test]
fn a_version_that_needs_an_unknown_package_is_no_choice() {
    check("a 1.0.0\na 2.0.0: ghost *\nwant a *", "a 1.0.0");
    check("a 2.0.0: ghost *\nwant a *", "conflict of 2");
}

#[test]
fn more_than_sixty_four_versions_are_as_good_as_few() {
    let versions: Vec<String> = (0..300)
        .map(|minor| format!("a 1.{minor}.0: b <={minor}.0.0"))
        .collect();
    let universe = format!("{}\nb 70.0.0\nb 299.0.0", versions.join("\n"));
    check(
        &format!("{universe}\nwant a *, b ^70"),
        "a 1.299.0, b 70.0.0",
    );
    check(
        &format!("{universe}\nwant a <1.200.0"),
        "a 1.199.0, b 70.0.0",
    );
    check(
        &format!("{universe}\nwant a *\nstrategy lowest"),
        "a 1.70.0, b 70.0.0",
    );
    check(&format!("{universe}\nwant a <1.70.0"), "conflict of 71");
}

#[test]
fn a_universe_that_contradicts_itself_is_refused() {
    let bound = |registries: [&str; 2]| {
        let mut builder = Universe::builder();
        for registry in registries {
            let registry = builder.registry(registry);
            builder.bind(name("a"), registry);
        }
        builder.build()
    };
    assert!(bound(["main", "main"]).is_ok());
    let error = bound(["main", "other"]).unwrap_err();
    assert!(
        matches!(error, InvalidUniverse::BoundTwice { .. }),
        "{error}"
    );

    let text = Text::read("a 1.0.0\na 1.0.0 @other");
    assert_eq!(text.universe().names().count(), 1);
    let mut builder = Universe::builder();
    let registry = builder.registry("main");
    let package = builder.package("a").unwrap();
    for size in [1, 2] {
        let artifact = Artifact {
            registry,
            digest: None,
            size,
            url: None,
            yanked: false,
            absent: false,
        };
        let entry = Entry {
            dependencies: Vec::new(),
            needs: Vec::new(),
            artifact,
        };
        builder.add(package, "1.0.0".parse().unwrap(), entry);
    }
    let error = builder.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` 1.0.0 is listed twice by the registry `main`"
    );
}
