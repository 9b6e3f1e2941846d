//! One JSON Schema for all four kinds of file.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::agent::Agent;
use super::pack::Pack;
use super::skill::Skill;
use super::task::Step;

/// Returns the schema: `$defs` has `agent`, `skill`, `task` and `step` for front matter, and
/// `pack` for `pack.yaml`.
pub(super) fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut agent = generator.root_schema_for::<Agent>().to_value();
    let mut skill = generator.root_schema_for::<Skill>().to_value();
    let mut step = generator.root_schema_for::<Step>().to_value();
    let mut pack = generator.root_schema_for::<Pack>().to_value();
    let mut definitions = serde_json::Map::new();
    for one in [&mut agent, &mut skill, &mut step, &mut pack] {
        let Some(object) = one.as_object_mut() else {
            continue;
        };
        object.remove("$schema");
        // Shared types go to the one list of definitions, where their references point.
        if let Some(Value::Object(shared)) = object.remove("$defs") {
            definitions.extend(shared);
        }
    }
    // `deny_unknown_fields` does not go with flattened fields in every version of the derive.
    for closed in [&mut agent, &mut skill, &mut step] {
        closed["additionalProperties"] = Value::Bool(false);
    }
    let mut task = step.clone();
    task["title"] = json!("TASK.md");
    task["required"] = json!(["name"]);
    if let Some(properties) = step["properties"].as_object_mut() {
        properties.remove("inputs");
    }
    definitions.extend([
        ("agent".to_owned(), agent),
        ("skill".to_owned(), skill),
        ("task".to_owned(), task),
        ("step".to_owned(), step),
        ("pack".to_owned(), pack),
    ]);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Nanobot pack",
        "description": "Front matter of AGENT.md, SKILL.md, TASK.md and later steps, and pack.yaml.",
        "anyOf": [
            { "$ref": "#/$defs/agent" },
            { "$ref": "#/$defs/skill" },
            { "$ref": "#/$defs/task" },
            { "$ref": "#/$defs/step" },
            { "$ref": "#/$defs/pack" }
        ],
        "$defs": definitions
    })
}
