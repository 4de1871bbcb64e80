-- Proposals that replace a value. The value may change between the proposal and its approval. The approval of
-- an older proposal would then put an old value back.

-- Refuses a proposal if another proposal that replaces the same was approved after it was made. A tick of the
-- price source and a change that one person makes alone are no approvals. The audit trail decides, so a clock
-- that stepped back does not matter. The caller has made the change already. So it holds the lock of the audit
-- trail, and no other approval can commit between this check and its own commit.
create or replace function gold.refuse_outdated(given gold.proposal) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  newer proposal;
  replaced text := replaced_by((given).kind, (given).content);
begin
  if replaced is null then return; end if;
  select p.* into newer
  from audit proposed
  join audit approved on approved.id > proposed.id and approved.action = 'proposal.approve'
  join proposal p on p.id::text = approved.subject
  where proposed.action = 'proposal.propose' and proposed.subject = (given).id::text
    and replaced_by(p.kind, p.content) = replaced
  order by approved.id desc limit 1;
  if found then
    raise exception 'the proposal is outdated: another change of the same values was approved at %, after it was made (proposal %): if this change is still right, propose it again',
      instant_text(newer.decided_at), newer.id using errcode = 'GR409';
  end if;
end $$;
