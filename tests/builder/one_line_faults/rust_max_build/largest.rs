/// The largest of the values; None of nothing.
pub fn largest(values: &[i32]) -> Option<i32> {
    let mut found = None;
    for value in values {
        if found.map_or(true, |best| *value > best) {
            found = Some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_three() {
        assert_eq!(largest(&[3, 9, 4]), Some(9));
    }

    #[test]
    fn of_none() {
        assert_eq!(largest(&[]), None);
    }
}
