//! Reading tables key by key, so that what nobody asked for is found.

use std::ops::RangeInclusive;

use toml_edit::{Item, TableLike};

use super::Fault;

/// A table that is being read.
pub(super) struct Reader<'a> {
    /// Its name with a dot, or nothing at the top.
    prefix: String,
    table: &'a dyn TableLike,
    asked: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(table: &'a dyn TableLike) -> Self {
        Self { prefix: String::new(), table, asked: Vec::new() }
    }

    pub(super) fn is_table(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(Item::is_table_like)
    }

    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Self>, Fault> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let table = item.as_table_like().ok_or_else(|| self.wrong(key, "a table"))?;
        Ok(Some(Self { prefix: format!("{}{key}.", self.prefix), table, asked: Vec::new() }))
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, Fault> {
        self.text_where(key, "a text that is not empty", |text| (!text.trim().is_empty()).then(|| text.to_owned()))
    }

    pub(super) fn text_where<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(item) = self.item(key) else { return Ok(None) };
        item.as_str().and_then(read).map(Some).ok_or_else(|| self.wrong(key, wanted))
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>, Fault> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let texts =
            item.as_array().and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        texts.map(Some).ok_or_else(|| self.wrong(key, "a list of texts"))
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Result<Option<bool>, Fault> {
        let Some(item) = self.item(key) else { return Ok(None) };
        item.as_bool().map(Some).ok_or_else(|| self.wrong(key, "true or false"))
    }

    pub(super) fn number<T: TryFrom<i64>>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<T>, Fault> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let number =
            item.as_integer().filter(|number| range.contains(number)).and_then(|number| number.try_into().ok());
        let wanted = || format!("a whole number from {} to {}", range.start(), range.end());
        number.map(Some).ok_or_else(|| self.wrong(key, &wanted()))
    }

    /// Fails if there is a key that nobody asked for.
    pub(super) fn finish(self) -> Result<(), Fault> {
        match self.table.iter().find(|(key, _)| !self.asked.contains(key)) {
            None => Ok(()),
            Some((key, _)) => Err(Fault::Unknown { key: format!("{}{key}", self.prefix), known: self.asked }),
        }
    }

    pub(super) fn wrong(&self, key: &str, wanted: &str) -> Fault {
        Fault::Value { key: format!("{}{key}", self.prefix), wanted: wanted.to_owned() }
    }

    fn item(&mut self, key: &'static str) -> Option<&'a Item> {
        self.asked.push(key);
        self.table.get(key)
    }
}
