-- Records that people signed the end of a day. `day` is a day in Riyadh, as 2026-01-31. `document` is the file of
-- `gold day sign`: it names the deployment, and the instant at which the day began. The audit row has the SHA-256
-- of the file, computed here from the document that people signed. A day may be signed again.
create or replace function gold.sign_day(day text, document text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  begins_at timestamptz;
  is_stated boolean;
begin
  perform require_approval(jsonb_build_object('day', sign_day.day, 'document', sign_day.document), 'day.sign');
  begin
    begins_at := sign_day.day::date::timestamp at time zone 'Asia/Riyadh';
    is_stated := begins_at <= clock_timestamp() and to_char(begins_at at time zone 'Asia/Riyadh', 'YYYY-MM-DD') = sign_day.day
      and sign_day.document::jsonb @> jsonb_build_object('deployment', (select d.id from deployment d), 'begins_at', instant_text(begins_at));
  exception when data_exception then
    is_stated := false;
  end;
  if is_stated is not true then
    raise exception 'the document must be that of the day % in this deployment, which has begun', sign_day.day using errcode = 'GR409';
  end if;
  perform note('day.sign', sign_day.day, jsonb_build_object('sha256', encode(sha256(convert_to(sign_day.document, 'UTF8')), 'hex')));
end $$;
