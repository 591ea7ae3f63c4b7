use vocalhost_system::memory;

/// Cores per worker. Fewer cores would mean more workers, each with its own copy of the models; more make a job little faster, since
/// one thread writes the last file.
const CORES_PER_WORKER: usize = 4;
/// Workers that share a GPU: while one prepares and writes, the other's networks run.
const WORKERS_PER_GPU: usize = 2;

/// What there is for workers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    /// Cores that this process may use.
    pub(super) cores: usize,
    /// Memory that it may use, where that can be told.
    pub(super) memory_bytes: Option<u64>,
    /// GPUs that models run on.
    pub(super) gpus: usize,
}

impl Machine {
    /// This machine, with `gpus` GPUs in use.
    pub(super) fn here(gpus: usize) -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_bytes: memory::total_bytes(),
            gpus,
        }
    }

    /// How many workers fit when each may hold `worker_memory_bytes`; a quarter of the machine's memory is left to everything else.
    pub(super) fn workers(self, worker_memory_bytes: u64) -> usize {
        let wanted = match self.gpus {
            0 => self.cores.div_ceil(CORES_PER_WORKER),
            gpus => (gpus * WORKERS_PER_GPU).min(self.cores),
        };
        let fit = self.memory_bytes.map_or(usize::MAX, |bytes| {
            let fit = bytes / 4 * 3 / worker_memory_bytes.max(1);
            usize::try_from(fit).unwrap_or(usize::MAX)
        });
        wanted.min(fit).max(1)
    }

    /// How many threads each of `workers` workers has.
    pub(super) fn threads(self, workers: usize) -> usize {
        (self.cores / workers.max(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of docs/operations.md.
    #[test]
    fn workers_and_threads_fit_the_machine() {
        for (cores, gib, gpus, workers, threads) in [
            (1, 4, 0, 1, 1),
            (2, 8, 0, 1, 2),
            (4, 8, 0, 1, 4),
            (6, 16, 0, 2, 3),
            (16, 64, 0, 4, 4),
            (64, 256, 0, 16, 4),
            // Little memory, fewer workers.
            (64, 16, 0, 6, 10),
            (16, 1, 0, 1, 16),
            (16, 128, 1, 2, 8),
            (64, 512, 8, 16, 4),
            // More GPUs than the cores can keep at work.
            (2, 64, 8, 2, 1),
        ] {
            let machine = Machine {
                cores,
                memory_bytes: Some(gib << 30),
                gpus,
            };
            let found = machine.workers(2 << 30);
            assert_eq!(
                (found, machine.threads(found)),
                (workers, threads),
                "{machine:?}"
            );
        }
    }

    #[test]
    fn a_system_that_does_not_tell_its_memory_limits_nothing() {
        let machine = Machine {
            cores: 64,
            memory_bytes: None,
            gpus: 0,
        };
        assert_eq!(machine.workers(2 << 30), 16);
    }
}
