//! The host as a guest calls it: every function of the contract, each counted and shown to the tap before it does its
//! work, and the bytes of what goes in and comes out.
//!
//! The linker knows this one alone, so that no function of the contract can be left uncounted: one that is missing in
//! the lists below does not compile.

mod capabilities;
mod flow;
mod requests;

use wasmtime::component::HasData;

use super::bindings::cepa::middleware::types;
use super::crossing::{Crossing, Shown};
use super::recording::Arguments;
use super::store::GuestState;
use super::tap::Function;
use super::weight::Weight;

/// Names [`Counted`] to the linker.
pub(super) struct CountedHost;

impl HasData for CountedHost {
    type Data<'a> = Counted<'a>;
}

/// The host of one guest, which counts.
pub(super) struct Counted<'a>(pub(super) &'a mut GuestState);

/// What a function answers that may refuse.
type Answer<T> = Result<T, types::Error>;

impl Counted<'_> {
    /// The guest calls, with arguments of so many bytes. What is given here is its answer, and the host does nothing.
    fn enter<T: Crossing>(
        &mut self,
        function: Function,
        bytes: u64,
        arguments: Arguments<'_>,
    ) -> wasmtime::Result<Option<T>> {
        let Some(seam) = &self.0.seam else {
            self.0.budget.enter(bytes)?;
            return Ok(None);
        };
        if let Some(answer) = seam.called(function, arguments)? {
            return Ok(Some(answer));
        }
        self.0.budget.enter(bytes)?;
        Ok(seam.passed(function))
    }

    /// The guest gets its answer.
    fn leave<T: Weight + Shown>(&mut self, answer: wasmtime::Result<T>) -> wasmtime::Result<T> {
        let answer = answer.and_then(|answer| {
            self.0.budget.copy(answer.weight())?;
            Ok(answer)
        });
        if let Some(seam) = &self.0.seam {
            seam.answered(&answer);
        }
        answer
    }
}

/// Implements interfaces of the contract by those of [`GuestState`]. Each function stands here as its signature.
macro_rules! counted {
    ($($interface:ident::$host:ident { $($functions:tt)* })+) => {
        $(impl $interface::$host for $crate::sandbox::counted::Counted<'_> {
            $crate::sandbox::counted::functions! { $interface::$host; $($functions)* }
        })+
    };
}
use counted;

/// The functions of one interface, one after another.
macro_rules! functions {
    ($interface:ident::$host:ident;) => {};
    (
        $interface:ident::$host:ident;
        fn $name:ident($($argument:ident: $ty:ty),*) -> $answer:ty;
        $($rest:tt)*
    ) => {
        fn $name(&mut self $(, $argument: $ty)*) -> wasmtime::Result<$answer> {
            let bytes = 0 $(+ $crate::sandbox::weight::Weight::held(&$argument))*;
            let function = $crate::sandbox::counted::function!($interface::$host::$name);
            let entered = self.enter(function, bytes, &[$((stringify!($argument), &$argument)),*]);
            let answer = match entered {
                Ok(Some(answer)) => {
                    $($crate::sandbox::crossing::Shown::release($argument, &mut self.0.table);)*
                    Ok(answer)
                }
                Ok(None) => <$crate::sandbox::store::GuestState as $interface::$host>::$name(self.0 $(, $argument)*),
                Err(error) => Err(error),
            };
            self.leave(answer)
        }
        $crate::sandbox::counted::functions! { $interface::$host; $($rest)* }
    };
    (
        $interface:ident::$host:ident;
        async fn $name:ident($($argument:ident: $ty:ty),*) -> $answer:ty;
        $($rest:tt)*
    ) => {
        async fn $name(&mut self $(, $argument: $ty)*) -> wasmtime::Result<$answer> {
            let bytes = 0 $(+ $crate::sandbox::weight::Weight::held(&$argument))*;
            let function = $crate::sandbox::counted::function!($interface::$host::$name);
            let entered = self.enter(function, bytes, &[$((stringify!($argument), &$argument)),*]);
            let answer = match entered {
                Ok(Some(answer)) => {
                    $($crate::sandbox::crossing::Shown::release($argument, &mut self.0.table);)*
                    Ok(answer)
                }
                Ok(None) => <$crate::sandbox::store::GuestState as $interface::$host>::$name(self.0 $(, $argument)*).await,
                Err(error) => Err(error),
            };
            self.leave(answer)
        }
        $crate::sandbox::counted::functions! { $interface::$host; $($rest)* }
    };
}
use functions;

/// A function by its path.
macro_rules! function {
    ($interface:ident::$host:ident::$name:ident) => {
        $crate::sandbox::tap::Function {
            module: stringify!($interface),
            host: stringify!($host),
            method: stringify!($name),
        }
    };
}
use function;
