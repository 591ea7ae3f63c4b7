use vocalhost_onnx::form::{Message, walk};

/// Refuses an ONNX file with values outside the file itself. ONNX Runtime would read them from whatever file the graph names, or from its
/// own memory.
///
/// # Errors When a tensor says that its values are elsewhere (`TensorProto.external_data`, field 13, or `data_location`, field 14), and
/// when the file is not well-formed ONNX: what cannot be checked is not left for the library to interpret.
pub(super) fn check_all_inside(file: &[u8]) -> Result<(), String> {
    walk(file, &mut |message, field| {
        let is_inside = match (message, field.number) {
            (Message::Tensor, 13) => false,
            (Message::Tensor, 14) => field.varint() == Ok(0),
            _ => true,
        };
        if is_inside {
            return Ok(());
        }
        Err("keeps values outside of its own file, which is not allowed".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_onnx::form::nested;
    use vocalhost_onnx::wire::{put_bytes, put_number};

    #[test]
    fn values_outside_are_found_wherever_a_tensor_may_be() {
        let (mut named, mut placed, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        put_bytes(&mut named, 13, b"\x0a\x08location\x12\x09../secret");
        put_number(&mut placed, 14, 1);
        put_number(&mut inside, 14, 0);
        let ways: [&[u32]; 7] = [
            &[7, 5],
            &[7, 15, 1],
            &[7, 1, 5, 5],
            &[7, 1, 5, 6, 1, 5, 11, 5],
            &[7, 1, 5, 22, 2],
            &[20, 1, 5],
            &[25, 7, 5, 10],
        ];
        for way in ways {
            for tensor in [&named, &placed] {
                let refused = check_all_inside(&nested(way, tensor)).expect_err("it is refused");
                assert!(refused.contains("outside"), "{way:?}: {refused}");
            }
            assert_eq!(check_all_inside(&nested(way, &inside)), Ok(()), "{way:?}");
        }
    }

    #[test]
    fn values_outside_are_not_hidden_by_bits_that_the_library_drops() {
        // Field 13 with an extra bit above the low 32, and location 1 with one, too.
        let named = b"\xea\x80\x80\x80\x10\x0d\x0a\x08location\x12\x01s";
        let mut placed = Vec::new();
        put_number(&mut placed, 14, (1 << 32) | 1);
        for tensor in [&named[..], &placed] {
            assert!(check_all_inside(&nested(&[7, 5], tensor)).is_err());
        }
    }

    #[test]
    fn what_is_not_in_the_form_of_onnx_is_refused() {
        assert!(check_all_inside(b"broken").is_err());
    }
}
