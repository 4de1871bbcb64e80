import type { VectorFile } from "./vector_file.ts";

const ID = "019a0000-0000-7000-8000-000000000001";

const records = (): VectorFile => ({
  description:
    "`members` is the JSON text of a `record`, without the braces around it. `row` has the record's columns, with " +
    "amounts in minor units and instants as Postgres reads them. `status` is given if no column has it.",
  origin: "Rows and texts written by hand.",
  cases: [
    {
      name: "a quote without texts, with the smallest quantities",
      record: "quote",
      row: {
        id: ID,
        side: "sell",
        grams: "1",
        price: "5000000",
        total: "5",
        created_at: "2026-01-31 09:30:00+00",
        expires_at: "2026-01-31 09:31:00.005+00",
        reference: null,
        account_label: null,
      },
      status: "open",
      members: `"quote_id":"qt_${ID}","side":"sell","gold_grams":0.0001,"price_per_gram_sar":500,` +
        '"total_sar":0.05,"status":"open","created_at":"2026-01-31T09:30:00.000Z",' +
        '"expires_at":"2026-01-31T09:31:00.005Z"',
    },
    {
      name: "a quote with both texts, which JSON escapes",
      record: "quote",
      row: {
        id: ID,
        side: "buy",
        grams: "15000",
        price: "5031250",
        total: "75469",
        created_at: "2026-01-31 09:30:00.1+00",
        expires_at: "2026-01-31 09:31:00.1+00",
        reference: 'R "1" \\ a',
        account_label: "مكتب",
      },
      status: "executed",
      members: `"quote_id":"qt_${ID}","side":"buy","gold_grams":1.5,"price_per_gram_sar":503.125,` +
        '"total_sar":754.69,"status":"executed","created_at":"2026-01-31T09:30:00.100Z",' +
        '"expires_at":"2026-01-31T09:31:00.100Z","reference":"R \\"1\\" \\\\ a","account_label":"مكتب"',
    },
    {
      name: "an order with every member",
      record: "order",
      row: {
        id: ID,
        side: "buy",
        grams: "15000",
        price: "5031250",
        total: "75469",
        executed_at: "2026-01-31 09:30:01.25+00",
        reference: "R 1",
        account_label: "desk 7",
        list_id: 12,
      },
      members: `"order_id":"ord_${ID}","quote_id":"qt_${ID}","side":"buy","gold_grams":1.5,` +
        '"price_per_gram_sar":503.125,"total_sar":754.69,"status":"executed",' +
        '"executed_at":"2026-01-31T09:30:01.250Z","reference":"R 1","account_label":"desk 7",' +
        '"reserves_list_id":"lst_12"',
    },
    {
      name: "an order of a release before 0.4.0, without texts",
      record: "order",
      row: {
        id: ID,
        side: "sell",
        grams: "1000000000",
        price: "10000000",
        total: "100000000000",
        executed_at: "2026-01-31 09:30:01+00",
        reference: null,
        account_label: null,
        list_id: null,
      },
      members: `"order_id":"ord_${ID}","quote_id":"qt_${ID}","side":"sell","gold_grams":100000,` +
        '"price_per_gram_sar":1000,"total_sar":1000000000,"status":"executed",' +
        '"executed_at":"2026-01-31T09:30:01.000Z"',
    },
    {
      name: "a funding",
      record: "funding",
      row: { id: ID, amount: "1000010", created_at: "2026-01-31 09:30:00.999+00" },
      members: `"funding_id":"fnd_${ID}","amount_sar":10000.1,"created_at":"2026-01-31T09:30:00.999Z"`,
    },
    {
      name: "a withdrawal with a reference and an account label",
      record: "withdrawal",
      row: {
        id: ID,
        amount: "12345",
        reference: "INV/2026 1",
        iban: "SA0380000000608010167519",
        created_at: "2026-01-31 09:30:00+00",
        account_label: "desk 7",
      },
      status: "paid",
      members: `"withdrawal_id":"wd_${ID}","amount_sar":123.45,"reference":"INV/2026 1",` +
        '"iban_masked":"SA03****************7519","status":"paid","created_at":"2026-01-31T09:30:00.000Z",' +
        '"account_label":"desk 7"',
    },
    {
      name: "a withdrawal without texts, whose reference is null",
      record: "withdrawal",
      row: {
        id: ID,
        amount: "1",
        reference: null,
        iban: "SA0380000000608010167519",
        created_at: "2026-01-31 09:30:00+00",
        account_label: null,
      },
      status: "pending_approval",
      members: `"withdrawal_id":"wd_${ID}","amount_sar":0.01,"reference":null,` +
        '"iban_masked":"SA03****************7519","status":"pending_approval",' +
        '"created_at":"2026-01-31T09:30:00.000Z"',
    },
  ],
});

export default records;
