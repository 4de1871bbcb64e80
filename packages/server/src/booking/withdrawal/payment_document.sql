-- The payment document for the bank: pain.001.001.09 of ISO 20022, CustomerCreditTransferInitiationV09. These
-- functions build it from the rows; no function accepts a document from a caller. The person who submits a
-- batch approves the SHA-256 of the document. Under two people, both sign it in a proposal. `gold` and the
-- audit build the document again with their own code.

-- Why a bank would refuse a name or a reference, or null. The characters are those of UNPRINTABLE in
-- values.ts of `gold`: control, format and private characters, line breaks and noncharacters.
create or replace function gold.payment_text_fault(value text) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  normal text := normalize(value, NFC);
  space constant text := '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]';
  unprintable text := substring(normal from
    '[\u0001-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064'
    '\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001'
    '\U000e0020-\U000e007f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe\U0003ffff'
    '\U0004fffe\U0004ffff\U0005fffe\U0005ffff\U0006fffe\U0006ffff\U0007fffe\U0007ffff\U0008fffe\U0008ffff\U0009fffe\U0009ffff'
    '\U000afffe\U000affff\U000bfffe\U000bffff\U000cfffe\U000cffff\U000dfffe\U000dffff\U000efffe\U000effff\U000f0000-\U0010ffff]');
begin
  return case
    when unprintable is not null then 'contains the unprintable character U+' || lpad(upper(to_hex(ascii(unprintable))), 4, '0')
    when normal ~ ('^' || space || '|' || space || '$') then 'has leading or trailing spaces'
    when char_length(normal) not between 1 and 140 then 'has ' || char_length(normal) || ' characters; a bank accepts 1 to 140'
  end;
end $$;

-- Returns the text of an element, or refuses the document. Equal texts have equal bytes, because they are in
-- NFC.
create or replace function gold.payment_text(what text, value text) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  fault text := coalesce(payment_text_fault(value), case when value is null then 'is missing' end);
begin
  if fault is not null then
    raise exception '% %: register it again as the bank knows it', what, fault using errcode = 'GR409';
  end if;
  return replace(replace(replace(replace(normalize(value, NFC), '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
end $$;

create or replace function gold.payment_iban(what text, value text) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  if value !~ '^SA[0-9]{4}[0-9A-Z]{18}$' or (
    select string_agg(case when c between 'A' and 'Z' then (ascii(c) - 55)::text else c end, '' order by n)::numeric % 97 <> 1
    from regexp_split_to_table(substr(value, 5) || left(value, 4), '') with ordinality letter (c, n))
  then
    raise exception '% is not a valid Saudi IBAN', what using errcode = 'GR409';
  end if;
  return value;
end $$;

-- Banks print SAR with two decimals.
create or replace function gold.sar_text(halalas numeric) returns text
language sql immutable
return trunc(halalas / 100, 2)::text;

-- The bank's identifier of a batch or a payment has at most 35 characters, so a UUID has no hyphens here.
create or replace function gold.payment_id(id uuid) returns text
language sql immutable
return replace(id::text, '-', '');

-- One payment. CdtrAgt, the creditor's bank, is left out: a Saudi IBAN names its bank.
create or replace function gold.payment_element(given gold.withdrawal, name text) returns text
language sql immutable set search_path = gold, pg_temp
return concat_ws(E'\n',
  '      <CdtTrfTxInf>',
  '        <PmtId>',
  '          <EndToEndId>' || gold.payment_id((given).id) || '</EndToEndId>',
  '        </PmtId>',
  '        <Amt>',
  '          <InstdAmt Ccy="SAR">' || gold.sar_text((given).amount) || '</InstdAmt>',
  '        </Amt>',
  '        <Cdtr>',
  '          <Nm>' || gold.payment_text('the name of the partner of wd_' || (given).id, name) || '</Nm>',
  '        </Cdtr>',
  '        <CdtrAcct>',
  '          <Id>',
  '            <IBAN>' || gold.payment_iban('the IBAN of wd_' || (given).id, (given).iban) || '</IBAN>',
  '          </Id>',
  '        </CdtrAcct>',
  case when (given).reference is not null then concat_ws(E'\n',
    '        <RmtInf>',
    '          <Ustrd>' || gold.payment_text('the reference of wd_' || (given).id, (given).reference) || '</Ustrd>',
    '        </RmtInf>') end,
  '      </CdtTrfTxInf>') || E'\n';

-- The same rows, batch, instant and day always give the same bytes. `day` is the day on which the bank pays.
create or replace function gold.payment_document(batch uuid, at timestamptz, day date, ids uuid[]) returns text
language plpgsql stable set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  payer deployment;
  payer_name text;
  paid record;
  totals text;
begin
  if coalesce(cardinality(ids), 0) = 0 then
    raise exception 'a batch must contain at least one withdrawal' using errcode = 'GR409';
  end if;
  select count(*) as count, sum(w.amount) as amount,
    string_agg(payment_element(w, p.name), '' order by w.id) as elements into paid
  from withdrawal w join partner p on p.id = w.client_id where w.id = any (ids);
  if paid.count <> cardinality(ids) then
    raise exception 'the batch names a withdrawal twice, or one that does not exist' using errcode = 'GR404';
  end if;
  select d.* into payer from deployment d;
  if payer.payout_iban is null then
    raise exception 'the account that withdrawals are paid from is not set: run `gold db migrate --payout-name NAME --payout-iban SA… --payout-bic BIC`'
      using errcode = 'GR409';
  elsif payer.payout_bic !~ '^[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}([0-9A-Z]{3})?$' then
    raise exception 'the BIC % of the payout account is invalid: it must have 8 or 11 characters, such as RIBLSARI', payer.payout_bic using errcode = 'GR409';
  end if;
  payer_name := '<Nm>' || payment_text('the name of the payout account', payer.payout_name) || '</Nm>';
  totals := format(E'      <NbOfTxs>%s</NbOfTxs>\n      <CtrlSum>%s</CtrlSum>', paid.count, sar_text(paid.amount));
  return concat_ws(E'\n',
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">',
    '  <CstmrCdtTrfInitn>',
    '    <GrpHdr>',
    '      <MsgId>' || payment_id(batch) || '</MsgId>',
    '      <CreDtTm>' || instant_text(at) || '</CreDtTm>',
    totals,
    '      <InitgPty>',
    '        ' || payer_name,
    '      </InitgPty>',
    '    </GrpHdr>',
    '    <PmtInf>',
    '      <PmtInfId>' || payment_id(batch) || '</PmtInfId>',
    '      <PmtMtd>TRF</PmtMtd>',
    totals,
    '      <ReqdExctnDt>',
    '        <Dt>' || to_char(day, 'YYYY-MM-DD') || '</Dt>',
    '      </ReqdExctnDt>',
    '      <Dbtr>',
    '        ' || payer_name,
    '      </Dbtr>',
    '      <DbtrAcct>',
    '        <Id>',
    '          <IBAN>' || payment_iban('the IBAN of the payout account', payer.payout_iban) || '</IBAN>',
    '        </Id>',
    '      </DbtrAcct>',
    '      <DbtrAgt>',
    '        <FinInstnId>',
    '          <BICFI>' || payer.payout_bic || '</BICFI>',
    '        </FinInstnId>',
    '      </DbtrAgt>',
    paid.elements || '    </PmtInf>',
    '  </CstmrCdtTrfInitn>',
    '</Document>') || E'\n';
end $$;

create or replace function gold.day_in_riyadh(at timestamptz) returns date
language sql immutable parallel safe
return (at at time zone 'Asia/Riyadh')::date;

-- The members of a proposal that show what the document pays.
create or replace function gold.payments_of(ids uuid[]) returns jsonb
language sql stable set search_path = gold, pg_temp
return (
  select coalesce(jsonb_agg(jsonb_build_object('withdrawal', w.id, 'client_id', p.public_id, 'amount', w.amount::text, 'iban', w.iban)
    order by w.id), '[]')
  from gold.withdrawal w join gold.partner p on p.id = w.client_id where w.id = any (ids));

-- Builds the document of a new batch, for the person who submits it. Stores nothing. A given `batch` is kept.
create or replace function gold.prepare_payment(
  ids uuid[], inout batch uuid default null, out prepared_at timestamptz, out document text, out sha256 text
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  prepared_at := date_trunc('milliseconds', clock_timestamp());
  batch := coalesce(batch, new_uuid(prepared_at));
  document := payment_document(batch, prepared_at, day_in_riyadh(prepared_at), ids);
  sha256 := encode(sha256(convert_to(document, 'UTF8')), 'hex');
end $$;

-- Submits a prepared batch and returns its document. `sha256` is the hash of the document that the person was
-- shown. This function builds the document from the rows again, and submits nothing if its hash differs. An
-- approved proposal submits in the name of its proposer, so that nobody proposes to pay a withdrawal that
-- this login approved.
create or replace function gold.submit_payment(batch uuid, ids uuid[], prepared_at timestamptz, sha256 text) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  applied proposal := applied_proposal();
  document text;
  built text;
begin
  perform require_approval(jsonb_build_object('batch', batch, 'prepared_at', instant_text(prepared_at), 'document_sha256', sha256,
    'payments', payments_of(ids)), 'payment.submit');
  perform require_admitted_login();
  perform require_read_committed();
  perform lock_payees(ids);
  -- Lock the audit trail. A change of a name or of the payout account writes an audit row, so it now waits
  -- until this batch has written its own.
  perform from audit_tail for no key update;
  -- The person who was shown the document answers soon. Another person may approve it until the end of its
  -- day.
  if prepared_at > clock_timestamp() + clock_tolerance()
    or applied.id is null and prepared_at < clock_timestamp() - interval '1 hour'
    or day_in_riyadh(prepared_at) <> day_in_riyadh(clock_timestamp())
  then
    raise exception 'the document was prepared at %, which is too long ago or another day in Riyadh: run `gold withdrawal submit` again', instant_text(prepared_at) using errcode = 'GR409';
  end if;
  document := payment_document(batch, prepared_at, day_in_riyadh(prepared_at), ids);
  built := encode(sha256(convert_to(document, 'UTF8')), 'hex');
  if built is distinct from sha256 then
    raise exception 'the document changed after it was shown: its hash is %, not %. Run the command again', built, sha256 using errcode = 'GR409';
  end if;
  perform submit_withdrawals_as(coalesce(applied.proposer, session_user), batch, ids, document, prepared_at);
  return document;
end $$;
