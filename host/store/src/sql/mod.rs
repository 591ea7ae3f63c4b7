//! The thin layer over sqlx's two drivers through which all of the store talks to its database. The text of a statement is the same for
//! both; the differences are in here.

mod database;
mod nul;
mod postgres;
mod row;
mod sqlite;
mod statement;
mod transaction;
mod value;

pub(crate) use database::{Database, Pool};
pub(crate) use nul::NulInText;
pub(crate) use row::{Column, Row};
pub(crate) use statement::{On, Statement, query, query_about};
pub(crate) use transaction::{Alone, Transaction};
pub(crate) use value::Value;
