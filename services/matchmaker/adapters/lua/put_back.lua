-- No table came of it: every ticket waits again, in front, as it did. ARGV: match, generation, memory in ms.
-- Returns 1, or 0 when it is not the caller's.
if not is_ours(ARGV[1], ARGV[2]) then return 0 end
undo(ARGV[1], ARGV[3])
return 1
