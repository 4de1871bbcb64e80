// Lists the tables and columns of pg_catalog that no statement of the audit reads, each with the reason. A
// test fails if a table or column is neither read nor listed. Postgres's own functions read the columns of
// PRINTED_CATALOG: another test edits each of these, and expects that the printed definition changes.

const PLANNER = "only changes plans";
const STORAGE = "says where or how rows are stored; the audit reads the rows themselves";
const REPORTED = "each row is reported, whatever it has in this column";
const ALTERS = "only ALTER, DROP and ATTACH read it";

/** The columns that Postgres's own functions print: pg_get_constraintdef() and others. */
export const PRINTED_CATALOG: Readonly<Record<string, string>> = {
  pg_constraint: `
    condeferred convalidated conenforced confrelid confupdtype confdeltype confmatchtype connoinherit
    conperiod conkey confkey confdelsetcols conexclop conbin`,
  pg_index:
    "indnatts indnkeyatts indnullsnotdistinct indkey indcollation indclass indoption indexprs indpred",
  pg_trigger: "tgfoid tgtype tgconstrrelid tgnargs tgargs tgattr tgqual tgoldtable tgnewtable",
  pg_partitioned_table: "partstrat partnatts partattrs partclass partcollation partexprs",
  pg_rewrite: "ev_type is_instead ev_qual ev_action",
  pg_proc: "prorettype proretset proallargtypes proargmodes proargnames proargdefaults prosqlbody",
};

/** `table.*` is every column of the table that no statement reads. */
export const HARMLESS_CATALOG: Readonly<Record<string, string>> = {
  pg_depend: "says what DROP removes",
  pg_shdepend: "says what DROP ROLE refuses",
  pg_description: "comments",
  pg_shdescription: "comments",
  pg_seclabel: "only a preloaded library reads labels, and an unknown library is a warning",
  pg_shseclabel: "only a preloaded library reads labels, and an unknown library is a warning",
  pg_largeobject: "the release has no large objects",
  pg_largeobject_metadata: "the release has no large objects",
  pg_replication_origin: "the progress of subscriptions, which are reported",
  pg_subscription_rel: "the progress of subscriptions, which are reported",
  pg_statistic: PLANNER,
  "pg_statistic_ext.*": PLANNER,
  pg_statistic_ext_data: PLANNER,
  pg_tablespace: STORAGE,
  pg_ts_config: "the release searches no text",
  pg_ts_config_map: "the release searches no text",
  pg_ts_dict: "the release searches no text",
  pg_ts_parser: "the release searches no text",
  pg_ts_template: "the release searches no text",
  pg_foreign_table: "each foreign table is reported as a relation",
  "pg_aggregate.*": PLANNER,
  "pg_attribute.attstorage": STORAGE,
  "pg_attribute.attcompression": STORAGE,
  "pg_attribute.atthasmissing": STORAGE,
  "pg_attribute.attmissingval": STORAGE,
  "pg_attribute.attcacheoff": "is -1 on disk",
  "pg_attribute.attndims": "Postgres does not enforce it",
  "pg_attribute.attstattarget": PLANNER,
  "pg_attribute.attoptions": PLANNER,
  "pg_attribute.attfdwoptions": "each foreign table is reported as a relation",
  "pg_attribute.attislocal": "inheritance is compared by its parents",
  "pg_attribute.attinhcount": "inheritance is compared by its parents",
  "pg_class.*": "counts and files; a wrong bound of a week's partition only makes attempts fail",
  "pg_collation.*": "comes from the machine; columns of the release name their collations",
  "pg_constraint.connamespace": "Postgres looks no constraint of a table up by its schema",
  "pg_constraint.contypid": "no type of the release is a domain",
  "pg_constraint.conislocal": ALTERS,
  "pg_constraint.coninhcount": ALTERS,
  "pg_database.*": "belongs to the installation",
  "pg_event_trigger.*": REPORTED,
  "pg_extension.*": REPORTED,
  "pg_foreign_data_wrapper.*": REPORTED,
  "pg_foreign_server.*": REPORTED,
  "pg_index.indisclustered": "only CLUSTER reads it",
  "pg_index.indcheckxmin": PLANNER,
  "pg_index.indisreplident": "only logical replication reads it, and publications are reported",
  "pg_inherits.*": "only orders columns",
  "pg_parameter_acl.*": REPORTED,
  "pg_policy.*": REPORTED,
  "pg_proc.procost": PLANNER,
  "pg_proc.prorows": PLANNER,
  "pg_publication.*": REPORTED,
  "pg_publication_rel.*": REPORTED,
  "pg_sequence.*": "how many numbers a session takes at once",
  "pg_subscription.*": REPORTED,
  "pg_transform.*": REPORTED,
  "pg_type.typstorage": STORAGE,
  "pg_type.typanalyze": PLANNER,
  "pg_user_mapping.*": REPORTED,
  "pg_authid.*": "passwords and their end; a login with another password has the same rights",
  "pg_auth_members.*": "memberships count whatever their options",
};
