-- what: one block of rows, sent in the native format
INSERT INTO /*<table>*/ requests /*</table>*/ (/*<columns>*/ created_at, model /*</columns>*/)
