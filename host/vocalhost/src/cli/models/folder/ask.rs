//! The question at a terminal which models of a list are to be imported.

use std::io::{self, BufRead, Write};

/// Asks until the answer can be read: the numbers chosen of 1 to `count`, in their order. None at the end of the input.
pub fn ask(
    count: usize,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<Vec<usize>> {
    loop {
        write!(
            output,
            "Which ones? Numbers such as 1,3-5, or all; nothing for none: "
        )?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(output)?;
            return Ok(Vec::new());
        }
        match chosen(&line, count) {
            Ok(chosen) => return Ok(chosen),
            Err(reason) => writeln!(output, "{reason}")?,
        }
    }
}

/// The numbers that a line means.
fn chosen(line: &str, count: usize) -> Result<Vec<usize>, String> {
    let line = line.trim();
    if line.eq_ignore_ascii_case("all") {
        return Ok((1..=count).collect());
    }
    let mut chosen = Vec::new();
    for part in line.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.parse().ok().filter(|one| (1..=count).contains(one));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => chosen.extend(first..=last),
            _ => {
                return Err(format!(
                    "{part:?} is neither a number of the list, 1 to {count}, nor a range of them."
                ));
            }
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_numbers_ranges_all_or_nothing() {
        for (line, wanted) in [
            ("2\n", vec![2]),
            ("4-5, 1", vec![1, 4, 5]),
            ("1 1-2\n", vec![1, 2]),
            (" ALL \n", vec![1, 2, 3, 4, 5]),
            ("\n", vec![]),
        ] {
            assert_eq!(chosen(line, 5), Ok(wanted), "{line}");
        }
        for line in ["0", "6", "5-4", "a", "1-", "-", "1-99999999999999999999"] {
            assert!(chosen(line, 5).is_err(), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_asked_again_and_silence_is_none() {
        let mut said = Vec::new();
        let answered = ask(3, &mut &b"nine\n3\n"[..], &mut said).expect("it is asked");
        assert_eq!(answered, [3]);
        let said = String::from_utf8(said).expect("text");
        assert!(said.contains("\"nine\" is neither") && said.matches("Which ones?").count() == 2);
        assert!(
            ask(3, &mut &b""[..], &mut Vec::new())
                .expect("it is asked")
                .is_empty()
        );
    }
}
