//! No rule without a fixture that breaks it.

use std::collections::BTreeSet;

use attache_package::Defect;

#[test]
fn every_defect_has_a_fixture() {
    let mut covered = crate::zip_hostile::covered();
    covered.extend(crate::build::COVERED);
    covered.extend(crate::folder::COVERED);
    covered.extend(crate::extract::COVERED);
    covered.extend(crate::tar_hostile::COVERED);
    let missing: BTreeSet<_> = Defect::ALL
        .iter()
        .filter(|defect| !covered.contains(defect))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}
