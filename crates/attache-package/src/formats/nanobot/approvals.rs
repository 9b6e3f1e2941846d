//! Approval policies: which calls go ahead, which ask first, which never happen.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::rules;
use crate::Rule;
use crate::fields::{Fields, kind_of};

/// A `tool_approvals` or `task_approvals` field: ordered rules, of which the first match wins.
///
/// Whatever no rule matches asks, because `approve` is the only default there is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Approvals {
    /// The rules in their order.
    pub rules: Vec<ApprovalRule>,
}

/// One rule of an approval policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRule {
    /// The tool or task it is about.
    pub target: String,
    /// What it decides.
    pub decision: Decision,
    /// What the arguments must be for the rule to match; a missing argument never matches.
    pub when: BTreeMap<String, Matcher>,
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// `allow: true`: the call goes ahead.
    Allow,
    /// `allow: false`: the call asks, as it would without a rule.
    Ask,
    /// `decision: deny`, our extension: the call never happens.
    Deny,
}

/// What one argument must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Matcher {
    /// Exactly this scalar.
    Equals(Value),
    /// One of these scalars.
    In(Vec<Value>),
    /// A string that begins like this.
    StartsWith(String),
    /// A string that this pattern matches as a whole.
    Matches(Pattern),
    /// A string with this in it, or a list that holds it.
    Contains(Value),
    /// A string or list that holds all of these.
    ContainsAll(Vec<Value>),
    /// Any of these matchers.
    AnyOf(Vec<Matcher>),
    /// All of these matchers. Several operators in one matcher mean this too.
    AllOf(Vec<Matcher>),
}

/// A regular expression that matches a whole text, never a part of one.
///
/// Matching takes time linear in the text, and the compiled form has a size limit, so a
/// package cannot stall its host with one.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    whole: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Pattern {
    /// Compiles `source`, or says why it cannot be.
    pub fn new(source: &str) -> Result<Self, String> {
        let compile = |text: &str| {
            let built = RegexBuilder::new(text)
                .size_limit(1 << 20)
                .nest_limit(64)
                .build();
            built.map_err(|error| {
                let text = error.to_string();
                let last = text.lines().rfind(|line| !line.trim().is_empty());
                last.unwrap_or("it does not compile").trim().to_owned()
            })
        };
        // Alone first: `a)|(?:b` would only compile once it is wrapped, and match too much.
        compile(source)?;
        Ok(Self {
            source: source.to_owned(),
            whole: compile(&format!(r"\A(?:{source})\z"))?,
        })
    }

    /// Returns the expression as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns whether the whole of `text` matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }
}

impl Matcher {
    /// Returns whether `value` is what the matcher wants. A wrong type never is.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => same(wanted, value),
            Self::In(any) => any.iter().any(|wanted| same(wanted, value)),
            Self::StartsWith(start) => value.as_str().is_some_and(|v| v.starts_with(start)),
            Self::Matches(pattern) => value.as_str().is_some_and(|v| pattern.is_match(v)),
            Self::Contains(part) => holds(value, part),
            Self::ContainsAll(parts) => parts.iter().all(|part| holds(value, part)),
            Self::AnyOf(any) => any.iter().any(|matcher| matcher.accepts(value)),
            Self::AllOf(all) => all.iter().all(|matcher| matcher.accepts(value)),
        }
    }
}

/// Returns whether two scalars are equal; `1` and `1.0` are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        _ => a == b,
    }
}

fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::String(text), Value::String(part)) => text.contains(part),
        (Value::Array(items), part) => items.iter().any(|item| same(item, part)),
        _ => false,
    }
}

/// The name that an approval rule gives its target: `tool` or `task`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    Tool,
    Task,
}

impl Subject {
    fn field(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Task => "task",
        }
    }
}

impl Approvals {
    /// Reads the field `name`. `may_hold` says whether the list beside it allows a target.
    pub(super) fn read(
        fields: &Fields<'_, '_>,
        name: &str,
        subject: Subject,
        may_hold: impl Fn(&str) -> bool,
    ) -> Self {
        let Some(policy) = fields.object(name) else {
            return Self::default();
        };
        if let Some(default) = policy.get("default")
            && default != "approve"
        {
            policy.report(
                &rules::APPROVAL_DEFAULT,
                "default",
                "`default` must be `approve`: whatever no rule allows asks first",
            );
        }
        let mut read = Vec::new();
        for (at, item) in policy.list("rules").unwrap_or_default().iter().enumerate() {
            let place = format!("{}/{at}", policy.place_of("rules"));
            let Some(object) = item.as_object() else {
                let message = format!("a rule must be an object, not {}", kind_of(item));
                policy.report_at(&rules::APPROVAL_RULE, place, message);
                continue;
            };
            let rule = policy.nested(object, place);
            if let Some(rule) = read_rule(rule, subject, name, &may_hold) {
                read.push(rule);
            }
        }
        policy.finish(&crate::fields::rules::UNKNOWN, &["default", "rules"]);
        Self { rules: read }
    }
}

fn read_rule(
    rule: Fields<'_, '_>,
    subject: Subject,
    policy: &str,
    may_hold: &impl Fn(&str) -> bool,
) -> Option<ApprovalRule> {
    let field = subject.field();
    let target = match rule
        .get(field)
        .map(|value| value.as_str().unwrap_or_default())
    {
        Some(target) if !target.trim().is_empty() && target != super::inherit::INHERIT => {
            if !may_hold(target) {
                let list = policy.replace("_approvals", "s");
                rule.report(
                    &rules::APPROVAL_TARGET,
                    field,
                    format!("`{target}` is not in `{list}`, so this rule could never matter"),
                );
            }
            Some(target.to_owned())
        }
        _ => {
            let message = format!("a rule must say which {field} it is about");
            rule.report(&rules::APPROVAL_RULE, field, message);
            None
        }
    };
    let decision = read_decision(&rule);
    let mut when = BTreeMap::new();
    if let Some(arguments) = rule.object("when") {
        for (argument, value) in arguments.iter() {
            let place = arguments.place_of(argument);
            if let Some(matcher) = read_matcher(&arguments, value, &place) {
                when.insert(argument.to_owned(), matcher);
            }
        }
    }
    rule.finish(
        &crate::fields::rules::UNKNOWN,
        &[field, "allow", "when", "decision"],
    );
    Some(ApprovalRule {
        target: target?,
        decision: decision?,
        when,
    })
}

fn read_decision(rule: &Fields<'_, '_>) -> Option<Decision> {
    let allow = rule.get("allow");
    match (rule.get("decision"), allow) {
        (Some(decision), None | Some(Value::Bool(false))) if decision == "deny" => {
            Some(Decision::Deny)
        }
        (Some(decision), Some(_)) if decision == "deny" => {
            rule.report(
                &rules::APPROVAL_RULE,
                "allow",
                "a rule that denies cannot have an `allow` that says otherwise",
            );
            None
        }
        (Some(_), _) => {
            rule.report(
                &rules::APPROVAL_RULE,
                "decision",
                "the only `decision` is `deny`; use `allow` for the others",
            );
            None
        }
        (None, Some(Value::Bool(true))) => Some(Decision::Allow),
        (None, Some(Value::Bool(false))) => Some(Decision::Ask),
        (None, Some(other)) => {
            let message = format!("`allow` must be true or false, not {}", kind_of(other));
            rule.report(&rules::APPROVAL_RULE, "allow", message);
            None
        }
        (None, None) => {
            rule.report(
                &rules::APPROVAL_RULE,
                "allow",
                "a rule must say `allow: true`, `allow: false` or `decision: deny`",
            );
            None
        }
    }
}

/// Matchers in matchers deeper than this say nothing a person could follow.
const DEEPEST: usize = 8;

fn read_matcher(fields: &Fields<'_, '_>, value: &Value, place: &str) -> Option<Matcher> {
    matcher(fields, value, place, 0)
}

fn matcher(fields: &Fields<'_, '_>, value: &Value, place: &str, depth: usize) -> Option<Matcher> {
    let refuse = |rule: &'static Rule, place: &str, message: String| {
        fields.report_at(rule, place, message);
        None
    };
    let Some(object) = value.as_object() else {
        let message = format!(
            "a matcher must be an object such as {{equals: …}}, not {}",
            kind_of(value)
        );
        return refuse(&rules::MATCHER, place, message);
    };
    if object.is_empty() {
        let message = "an empty matcher would match anything; name an operator".to_owned();
        return refuse(&rules::MATCHER, place, message);
    }
    if depth == DEEPEST {
        let message = format!("matchers are nested more than {DEEPEST} deep");
        return refuse(&rules::MATCHER, place, message);
    }
    let mut all = operators(fields, object, place, depth)?;
    // Several operators must all hold: reading them as alternatives would allow more.
    Some(if all.len() == 1 {
        all.remove(0)
    } else {
        Matcher::AllOf(all)
    })
}

fn operators(
    fields: &Fields<'_, '_>,
    object: &Map<String, Value>,
    place: &str,
    depth: usize,
) -> Option<Vec<Matcher>> {
    let mut all = Vec::new();
    let mut good = true;
    for (operator, operand) in object {
        let place = format!("{place}/{}", operator.replace('~', "~0").replace('/', "~1"));
        let read = match operator.as_str() {
            "equals" => scalar(operand).map(Matcher::Equals).ok_or("a scalar"),
            "contains" => scalar(operand)
                .filter(|part| part != "")
                .map(Matcher::Contains)
                .ok_or("a scalar, not empty"),
            "in" => scalars(operand)
                .map(Matcher::In)
                .ok_or("a list of scalars, not empty"),
            "containsAll" => scalars(operand)
                .map(Matcher::ContainsAll)
                .ok_or("a list of scalars, not empty"),
            "startsWith" => text(operand)
                .map(|start| Matcher::StartsWith(start.to_owned()))
                .ok_or("a string, not empty"),
            "matches" => match text(operand).map(Pattern::new) {
                Some(Ok(pattern)) => Ok(Matcher::Matches(pattern)),
                Some(Err(error)) => {
                    fields.report_at(
                        &rules::PATTERN,
                        place,
                        format!("the pattern is no regular expression: {error}"),
                    );
                    good = false;
                    continue;
                }
                None => Err("a regular expression"),
            },
            "anyOf" | "allOf" => match operand.as_array().filter(|items| !items.is_empty()) {
                Some(items) => {
                    let read: Vec<_> = items
                        .iter()
                        .enumerate()
                        .map(|(at, item)| {
                            matcher(fields, item, &format!("{place}/{at}"), depth + 1)
                        })
                        .collect();
                    let Some(read) = read.into_iter().collect() else {
                        good = false;
                        continue;
                    };
                    Ok(if operator == "anyOf" {
                        Matcher::AnyOf(read)
                    } else {
                        Matcher::AllOf(read)
                    })
                }
                None => Err("a list of matchers, not empty"),
            },
            _ => {
                let known = "equals, in, startsWith, matches, contains, containsAll, anyOf, allOf";
                let message = format!("the operator `{operator}` is unknown; there are {known}");
                fields.report_at(&rules::MATCHER, place, message);
                good = false;
                continue;
            }
        };
        match read {
            Ok(matcher) => all.push(matcher),
            Err(wanted) => {
                let message = format!("`{operator}` takes {wanted}");
                fields.report_at(&rules::MATCHER, place, message);
                good = false;
            }
        }
    }
    good.then_some(all)
}

fn scalar(value: &Value) -> Option<Value> {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)).then(|| value.clone())
}

fn scalars(value: &Value) -> Option<Vec<Value>> {
    let items = value.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(scalar).collect()
}

/// An empty start or pattern would match anything.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

impl JsonSchema for Approvals {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Approvals".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let matcher = generator.subschema_for::<Matcher>();
        json_schema!({
            "description": "An approval policy: ordered rules, of which the first match wins; whatever none matches asks.",
            "type": "object",
            "properties": {
                "default": { "const": "approve" },
                "rules": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "tool": { "type": "string", "pattern": "\\S" },
                            "task": { "type": "string", "pattern": "\\S" },
                            "allow": { "type": "boolean" },
                            "decision": { "const": "deny" },
                            "when": { "type": "object", "additionalProperties": matcher }
                        },
                        "oneOf": [{ "required": ["tool"] }, { "required": ["task"] }],
                        "anyOf": [{ "required": ["allow"] }, { "required": ["decision"] }],
                        "additionalProperties": false
                    }
                }
            },
            "additionalProperties": false
        })
    }
}

impl JsonSchema for Matcher {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Matcher".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let matcher = generator.subschema_for::<Matcher>();
        let scalar = serde_json::json!({ "type": ["string", "number", "boolean"] });
        json_schema!({
            "description": "What one argument must be; several operators must all hold.",
            "type": "object",
            "minProperties": 1,
            "properties": {
                "equals": scalar,
                "in": { "type": "array", "items": scalar, "minItems": 1 },
                "startsWith": { "type": "string", "minLength": 1 },
                "matches": { "type": "string", "minLength": 1 },
                "contains": scalar,
                "containsAll": { "type": "array", "items": scalar, "minItems": 1 },
                "anyOf": { "type": "array", "items": matcher, "minItems": 1 },
                "allOf": { "type": "array", "items": matcher, "minItems": 1 }
            },
            "additionalProperties": false
        })
    }
}
