//! How agents run: MCP servers, bundles and Markdown agents, under approval and on the record.
//!
//! The one idea: a run is a pure step from state and event to effects, and every result is in
//! the log before it is used. A world performs the effects; one world is live, another reads
//! the log, so replaying a run is not a second engine.
//!
//! Still empty: it is filled when installed agents are run. Not here: what an agent consists
//! of and how it is launched (`Launch` in `attache-package`), and where its files and its log
//! are kept (`attache-store`).
