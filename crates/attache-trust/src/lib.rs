//! Who signed a package, and whether we accept that.
//!
//! The one idea: a signature and a decision are two things. Checking says what is so (`valid`,
//! `unsigned`, `tampered`, `unknown-signer`, `expired`, `revoked` and so on); a policy that the
//! verifier holds, never the package, says whether that is good enough. Only a package that
//! passed both becomes `Verified`, and the store takes nothing else.
//!
//! Still empty: it is filled when packages are signed and verified. Not here: content hashes
//! and AgentForge's HMAC, which are part of what a package *is* (`attache-package`), and where
//! keys and signers are kept (`attache-store`). It touches neither disk nor network.
