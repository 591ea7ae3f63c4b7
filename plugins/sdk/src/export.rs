//! The bridge between the [`Effect`] trait and the component interface.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::bindings::exports::vocalhost::effect::effect as interface;
use crate::effect::Effect;
use crate::running::Running;

/// The component's face for the effect `E`.
pub struct Component<E>(PhantomData<E>);

/// One running stream of `E` as the interface's resource.
pub struct Processor<E>(RefCell<Running<E>>);

impl<E: Effect> interface::Guest for Component<E> {
    type Processor = Processor<E>;

    fn describe() -> interface::Descriptor {
        E::describe()
    }
}

impl<E: Effect> interface::GuestProcessor for Processor<E> {
    fn new(config: interface::Config) -> Result<Self, String> {
        Running::new(&config).map(|running| Self(RefCell::new(running)))
    }

    fn latency(&self) -> u32 {
        self.0.borrow().latency()
    }

    fn tail(&self) -> interface::Tail {
        self.0.borrow().tail()
    }

    fn process(&self, input: Vec<f32>) -> Vec<f32> {
        self.0.borrow_mut().process(input)
    }

    fn reset(&self) {
        self.0.borrow_mut().reset();
    }
}

/// Makes the crate a component that exports the given [`Effect`](crate::Effect).
///
/// On targets other than `wasm32` it expands to nothing, so that the crate's
/// tests and native users link.
#[macro_export]
macro_rules! export_effect {
    ($effect:ty) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(
            unsafe_code,
            reason = "generated: the exported functions of the canonical ABI"
        )]
        mod exported_component {
            #[allow(unused_imports)]
            use super::*;
            type Exported = $crate::Component<$effect>;
            $crate::bindings::export_component!(Exported with_types_in $crate::bindings);
        }
    };
}
