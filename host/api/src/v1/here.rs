//! Jobs as commands ask for them: the fields of a form, without a request.

use std::collections::BTreeMap;

use super::chain::{KnownEffect, Library};
use super::{conversion_form, separations};
use crate::rules::problem::FieldError;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_http::multipart::Form;
use vocalhost_job::{ConversionSpec, LossyFiles, SeparationSpec};

/// Commands give the main files alone, so that those that go along need not be made.
const NONE_KEPT: LossyFiles = LossyFiles::OnDemand;

/// What a conversion is to do, by the fields that a form would have; the number of its voice is among them.
///
/// # Errors
/// Everything that is wrong with the fields.
pub fn conversion(
    fields: Vec<(String, String)>,
    effects: &Listing,
) -> Result<ConversionSpec, Vec<FieldError>> {
    let mut spec = of_fields(fields, effects, conversion_form::parse)?;
    spec.output.lossy = NONE_KEPT;
    Ok(spec)
}

/// What a stem split is to do.
///
/// # Errors
/// Everything that is wrong with the fields.
pub fn split(
    fields: Vec<(String, String)>,
    effects: &Listing,
) -> Result<SeparationSpec, Vec<FieldError>> {
    let mut spec = of_fields(fields, effects, |form, library, mistakes| {
        separations::parse(form, separations::Separation::Stems, library, mistakes)
    })?;
    spec.output.lossy = NONE_KEPT;
    Ok(spec)
}

fn of_fields<T>(
    fields: Vec<(String, String)>,
    effects: &Listing,
    parse: impl FnOnce(&Form, &Library<'_>, &mut Vec<FieldError>) -> T,
) -> Result<T, Vec<FieldError>> {
    let mut form = Form::default();
    form.fields = fields;
    let mut mistakes = Vec::new();
    let library = Library {
        find: &|name| effects.find(name).map(KnownEffect::from),
        // Saved chains are a user's; a command has none.
        pipelines: &BTreeMap::new(),
    };
    let spec = parse(&form, &library, &mut mistakes);
    if mistakes.is_empty() {
        return Ok(spec);
    }
    Err(mistakes)
}
