//! Tests across modules, and against what other projects publish.

mod agentforge;
