//! Skills from the wild, against the verdicts of the Agent Skills reference validator.

use attache_package::Diagnostics;
use attache_package::formats::nanobot::{SkillFields, validate_skill};
use serde_json::Value;

use crate::conformance;

fn validate(folder: &str, bytes: &[u8], lenient: bool) -> (bool, Diagnostics) {
    let mut diagnostics = Diagnostics::new(lenient);
    let place = format!("{folder}/SKILL.md");
    let skill = validate_skill(
        folder,
        &place,
        bytes,
        SkillFields::Standard,
        &mut diagnostics,
    );
    (skill.is_some(), diagnostics)
}

#[test]
fn every_skill_gets_the_reference_verdict() {
    let Some(root) = conformance::suite("skills") else {
        return;
    };
    let verdicts = fs_err::read(root.join("verdicts.json")).unwrap();
    let verdicts: Value = serde_json::from_slice(&verdicts).unwrap();
    let mut invalid = 0;
    for (folder, verdict) in verdicts.as_object().unwrap() {
        let bytes = fs_err::read(root.join(folder).join("SKILL.md")).unwrap();
        let errors: Vec<&str> = verdict["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error.as_str().unwrap())
            .collect();
        let (_, strict) = validate(folder, &bytes, false);
        assert_eq!(
            strict.is_valid(),
            verdict["valid"].as_bool().unwrap(),
            "{folder}: they say {errors:?}, we say {:?}",
            strict.errors()
        );
        invalid += usize::from(!strict.is_valid());

        let (loaded, lenient) = validate(folder, &bytes, true);
        let only_extra = errors.iter().all(|e| e.starts_with("Unexpected fields"));
        assert_eq!(
            loaded && lenient.is_valid(),
            only_extra,
            "{folder}: {:?}",
            lenient.errors()
        );
    }
    assert_eq!((verdicts.as_object().unwrap().len(), invalid), (60, 11));
}
