/// A value of a statement. NULL keeps its type, since `PostgreSQL` decides the types of a statement before it sees a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Any whole number: all columns of whole numbers are as wide as this.
    Integer(Option<i64>),
    /// A number with a fraction.
    Real(Option<f64>),
    /// A truth value.
    Flag(Option<bool>),
    /// A text, JSON too.
    Text(Option<String>),
}

macro_rules! values {
    ($($kind:ident: $($from:ty),+;)+) => {$($(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$kind(Some(value.into()))
            }
        }

        impl From<Option<$from>> for Value {
            fn from(value: Option<$from>) -> Self {
                Self::$kind(value.map(Into::into))
            }
        }
    )+)+};
}

values! {
    Integer: i64, i32, u32, u16;
    Real: f64;
    Flag: bool;
    Text: &str, String, &String;
}

impl From<&Option<String>> for Value {
    fn from(value: &Option<String>) -> Self {
        value.as_ref().into()
    }
}
