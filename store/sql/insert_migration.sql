-- what: remembers one applied migration
INSERT INTO schema_migrations (version, name, checksum, applied_at)
SELECT {version:UInt32}, {name:String}, {checksum:String}, {at:DateTime64(3, 'UTC')}
