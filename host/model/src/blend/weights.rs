use super::graph::{Graph, GraphError};
use super::same::by_name;
use super::tensor::{Tensor, TensorError};

/// Interpolates the weights of graphs that differ in nothing else (see [`super::same::difference`]) and returns the first graph's file with
/// the new weights.
///
/// Each weight is the sum of the parts' weights times their shares, computed in double precision and rounded once to the first part's type,
/// so that stored halves lose nothing on the way. A tensor that is the same in all parts stays as it is, to the bit, and a share of 1 gives
/// exactly that part. Tables with different numbers of rows are cut to the fewest.
pub(super) fn interpolate(parts: &[(Graph<'_>, f64)]) -> Result<Vec<u8>, GraphError> {
    let Some((first, _)) = parts.first() else {
        return Err(GraphError::Graphs(0));
    };
    let named: Vec<_> = parts
        .iter()
        .map(|(graph, share)| (by_name(&graph.tensors), *share))
        .collect();
    let mut tensors = Vec::with_capacity(first.tensors.len());
    for tensor in &first.tensors {
        let name = tensor.name.as_str();
        let twins = named.iter().filter(|(_, share)| *share > 0.0);
        let twins = twins.filter_map(|(tensors, share)| Some((*tensors.get(name)?, *share)));
        tensors.push(interpolated(tensor, &twins.collect::<Vec<_>>())?);
    }
    Ok(first.with_tensors(&tensors))
}

/// The tensor with new values, or `None` when it stays as it is.
fn interpolated(
    tensor: &Tensor<'_>,
    twins: &[(&Tensor<'_>, f64)],
) -> Result<Option<Vec<u8>>, TensorError> {
    let Some(float) = tensor.float() else {
        return Ok(None);
    };
    let mut dims = tensor.dims.clone();
    let rows = twins.iter().filter_map(|(twin, _)| twin.dims.first());
    if let (Some(own), Some(fewest)) = (dims.first_mut(), rows.min()) {
        *own = (*own).min(*fewest);
    }
    let own = tensor.values()?;
    let numbers = own.len() / float.width();
    // The product of the dimensions fits: it is the number of values of the smallest part.
    let mut sums = vec![0.0_f64; dims.iter().product::<u64>().min(numbers as u64) as usize];
    let mut equal = dims == tensor.dims;
    for (twin, share) in twins {
        let Some(stored) = twin.float() else {
            return Ok(None);
        };
        let values = twin.values()?;
        equal &= stored == float && values == own;
        for (sum, value) in sums.iter_mut().zip(values.chunks_exact(stored.width())) {
            *sum += share * stored.read(value);
        }
    }
    if equal {
        return Ok(None);
    }
    if sums.iter().any(|sum| !sum.is_finite()) {
        return Err(TensorError::NotFinite(tensor.name.clone()));
    }
    let mut values = Vec::with_capacity(sums.len() * float.width());
    for sum in sums {
        float.write(sum, &mut values);
    }
    Ok(Some(tensor.with_values(&dims, &values)))
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::super::same::difference;
    use super::super::tiny::{TinyGraph, TinyTensor};
    use super::*;

    fn blended(files: &[(&TinyGraph, f64)]) -> Vec<u8> {
        let files: Vec<_> = files
            .iter()
            .map(|(graph, share)| (graph.file(), *share))
            .collect();
        let parts = files
            .iter()
            .map(|(file, share)| (Graph::parse(file).expect("a graph"), *share));
        interpolate(&parts.collect::<Vec<_>>()).expect("blends")
    }

    fn values(file: &[u8], name: &str) -> Vec<f64> {
        let graph = Graph::parse(file).expect("a graph");
        let tensor = graph.tensors.iter().find(|tensor| tensor.name == name);
        let tensor = tensor.expect("the tensor");
        let float = tensor.float().expect("floats");
        let bytes = tensor.values().expect("values");
        let numbers = bytes.chunks(float.width());
        numbers.map(|number| float.read(number)).collect()
    }

    #[test]
    fn every_weight_is_the_sum_of_the_parts_by_their_shares_in_its_stored_type() {
        let graph = |seed: f64| {
            let numbers: Vec<f64> = (0..9)
                .map(|place| (seed * f64::from(place)).sin())
                .collect();
            let stored = |name, data_type, bytes: Vec<Vec<u8>>| TinyTensor {
                name,
                data_type,
                dims: vec![3, 3],
                values: bytes.concat(),
            };
            let singles = numbers.iter().map(|x| (*x as f32).to_le_bytes().to_vec());
            let doubles = numbers.iter().map(|x| x.to_le_bytes().to_vec());
            let halves = numbers
                .iter()
                .map(|x| f16::from_f64(*x).to_le_bytes().to_vec());
            TinyGraph::with(vec![
                stored("single", 1, singles.collect()),
                stored("half", 10, halves.collect()),
                stored("double", 11, doubles.collect()),
            ])
        };
        let (a, b, c) = (graph(0.7), graph(1.9), graph(3.1));
        let file = blended(&[(&a, 0.2), (&b, 0.5), (&c, 0.3)]);
        for (name, step) in [("single", 6e-8), ("half", 4.9e-4), ("double", 1e-15)] {
            let (a, b, c) = (
                values(&a.file(), name),
                values(&b.file(), name),
                values(&c.file(), name),
            );
            for (place, found) in values(&file, name).iter().enumerate() {
                let expected = 0.2 * a[place] + 0.5 * b[place] + 0.3 * c[place];
                assert!(
                    (found - expected).abs() <= step,
                    "{name}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn the_whole_share_gives_that_part_to_the_bit() {
        let a = TinyGraph::with(vec![TinyTensor::singles("w", &[0.1, -0.3, 1e-38])]);
        let b = TinyGraph::with(vec![TinyTensor::singles("w", &[7.7, 0.0, 3e38])]);
        assert!(blended(&[(&a, 0.0), (&b, 1.0)]) == b.file());
        assert!(blended(&[(&a, 1.0), (&b, 0.0)]) == a.file());
    }

    #[test]
    fn what_is_the_same_in_all_parts_and_what_is_no_weight_stays() {
        let constant = || TinyTensor::singles("mask", &[f32::NEG_INFINITY, 0.1]);
        let graph = |weight| {
            let mut graph = TinyGraph::with(vec![
                constant(),
                TinyTensor::integers("axes", &[-1, 2]),
                TinyTensor::singles("w", &[weight]),
            ]);
            graph.producer = if weight > 0.0 { "one" } else { "two" };
            graph
        };
        let (a, b) = (graph(1.0), graph(-2.0));
        let expected = TinyGraph {
            tensors: vec![
                constant(),
                TinyTensor::integers("axes", &[-1, 2]),
                TinyTensor::singles("w", &[0.25]),
            ],
            ..graph(1.0)
        };
        assert!(blended(&[(&a, 0.75), (&b, 0.25)]) == expected.file());
    }

    #[test]
    fn tensors_meet_by_name_whatever_their_order() {
        let (one, two) = (
            || TinyTensor::singles("one", &[1.0]),
            || TinyTensor::singles("two", &[2.0]),
        );
        let a = TinyGraph::with(vec![one(), two()]);
        let b = TinyGraph::with(vec![two(), one()]);
        let file = blended(&[(&a, 0.5), (&b, 0.5)]);
        assert_eq!(values(&file, "one"), [1.0]);
        assert_eq!(values(&file, "two"), [2.0]);
    }

    #[test]
    fn a_table_of_speakers_is_cut_to_the_fewest_rows_whoever_has_them() {
        let table = |rows: u8, first: f32| TinyTensor {
            dims: vec![rows, 2],
            ..TinyTensor::singles(
                "emb_g.weight",
                &(0..rows * 2)
                    .map(|place| first + f32::from(place))
                    .collect::<Vec<f32>>(),
            )
        };
        let few = TinyGraph::with(vec![table(1, 10.0)]);
        let many = TinyGraph::with(vec![table(3, 0.0)]);
        for (a, b) in [(&few, &many), (&many, &few)] {
            let (a_file, b_file) = (a.file(), b.file());
            let graph = |file| Graph::parse(file).expect("a graph");
            let found = difference(&graph(&a_file), &graph(&b_file)).expect("readable");
            assert_eq!(found, None, "they can be blended");
            let file = blended(&[(a, 0.5), (b, 0.5)]);
            assert_eq!(values(&file, "emb_g.weight"), [5.0, 6.0]);
            let graph = Graph::parse(&file).expect("a graph");
            assert_eq!(graph.tensors[0].dims, [1, 2]);
        }
        let file = blended(&[(&many, 1.0), (&few, 0.0)]);
        assert!(
            file == many.file(),
            "a voice that is not heard cuts nothing"
        );
    }

    #[test]
    fn weights_stored_in_half_and_in_single_precision_meet() {
        let halves: Vec<u8> = [1.0, -2.0]
            .iter()
            .flat_map(|x| f16::from_f64(*x).to_le_bytes())
            .collect();
        let half = TinyGraph::with(vec![TinyTensor {
            name: "w",
            data_type: 10,
            dims: vec![2],
            values: halves,
        }]);
        let single = TinyGraph::with(vec![TinyTensor::singles("w", &[3.0, 4.0])]);
        for (a, b) in [(&half, &single), (&single, &half)] {
            let file = blended(&[(a, 0.75), (b, 0.25)]);
            let expected = if values(&a.file(), "w")[0] > 2.0 {
                [2.5, 2.5]
            } else {
                [1.5, -0.5]
            };
            assert_eq!(values(&file, "w"), expected);
        }
    }

    #[test]
    fn a_weight_that_is_no_number_is_refused() {
        let a = TinyGraph::with(vec![TinyTensor::singles("w", &[f32::NAN])]).file();
        let b = TinyGraph::with(vec![TinyTensor::singles("w", &[1.0])]).file();
        let parts = [&a, &b].map(|file| (Graph::parse(file).expect("a graph"), 0.5));
        let error = interpolate(&parts).expect_err("refused");
        assert!(error.to_string().contains("\"w\""), "{error}");
    }
}
