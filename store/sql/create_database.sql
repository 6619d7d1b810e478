-- what: the database itself; the connection that sends this has none
CREATE DATABASE IF NOT EXISTS /*<database>*/ headway /*</database>*/ /*<cluster>*/ /*</cluster>*/
