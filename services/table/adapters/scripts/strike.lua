-- A pod has a table no more; a pod that has none is forgotten.
-- KEYS: tables of the pod, pods
-- ARGV: table, pod
redis.call('SREM', KEYS[1], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[2]) end
return 1
