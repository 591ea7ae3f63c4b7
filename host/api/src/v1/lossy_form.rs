use crate::rules::mistakes::not_among;
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;
use vocalhost_job::{LossyFiles, OutputFormat};

/// The field that says when the MP3 files that go along with the main files are made.
pub const FIELD: &str = "lossy";

/// Reads when the MP3 files are made that go along with main files of this format; `otherwise` holds where nothing is said. None is
/// made later from a main file that is lossy itself: it would lose twice.
pub fn parse(
    form: &Form,
    format: OutputFormat,
    otherwise: LossyFiles,
    mistakes: &mut Vec<FieldError>,
) -> LossyFiles {
    let asked = match form.text(FIELD) {
        None => otherwise,
        Some(text) => {
            let mut offered = LossyFiles::ALL.into_iter();
            let found = offered.find(|one| one.as_str().eq_ignore_ascii_case(text));
            found.unwrap_or_else(|| {
                mistakes.push(not_among(FIELD, &LossyFiles::ALL.map(LossyFiles::as_str)));
                otherwise
            })
        }
    };
    if format.is_lossless() {
        asked
    } else {
        LossyFiles::WithJob
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::problem::rules;

    fn form(text: Option<&str>) -> Form {
        let mut form = Form::default();
        form.fields = text
            .into_iter()
            .map(|text| (FIELD.to_owned(), text.to_owned()))
            .collect();
        form
    }

    #[test]
    fn lossy_files_are_made_as_is_said_or_else_as_the_server_does() {
        use LossyFiles::{OnDemand, WithJob};
        for (text, format, otherwise, wanted) in [
            (None, OutputFormat::Wav24, OnDemand, OnDemand),
            (None, OutputFormat::Wav24, WithJob, WithJob),
            (Some("with-job"), OutputFormat::Flac, OnDemand, WithJob),
            (Some("On-Demand"), OutputFormat::Wav32f, WithJob, OnDemand),
            (Some("on-demand"), OutputFormat::Opus, WithJob, WithJob),
            (None, OutputFormat::Mp3, OnDemand, WithJob),
        ] {
            let mut mistakes = Vec::new();
            let read = parse(&form(text), format, otherwise, &mut mistakes);
            assert_eq!((read, rules(&mistakes)), (wanted, Vec::new()), "{text:?}");
        }
        let mut mistakes = Vec::new();
        let later = form(Some("later"));
        parse(&later, OutputFormat::Wav24, WithJob, &mut mistakes);
        assert_eq!(rules(&mistakes), ["lossy enum"]);
    }
}
