//! No rule without a fixture that breaks it.

use std::collections::BTreeSet;

use attache_package::Defect;

/// Covered by the tests of the tar reader.
const ELSEWHERE: &[&str] = &["ATT-TAR-", "ATT-GZIP-", "ATT-ZSTD-", "ATT-TYPE-HARD-LINK"];

#[test]
fn every_defect_has_a_fixture() {
    let mut covered = crate::zip_hostile::covered();
    covered.extend(crate::folder::COVERED);
    covered.extend(crate::extract::COVERED);
    let missing: BTreeSet<_> = Defect::ALL
        .iter()
        .filter(|defect| !covered.contains(defect))
        .filter(|defect| !ELSEWHERE.iter().any(|code| defect.code().starts_with(code)))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}
