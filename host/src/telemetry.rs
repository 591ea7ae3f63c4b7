//! Placeholder; see the plan.
