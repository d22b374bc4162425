// node-redis against a live server, in RESP2 and in RESP3: node_redis.mjs HOST PORT. See run.py for
// the environment.

import {
  asInRedis, canRestart, check, checkRejects, control, firstCome, flatMap, host, infoField, load,
  onLaurel, port, runAll, seedScores, waitUntil, wholeNumbers,
} from './check.mjs';

const { createClient, ErrorReply, MultiErrorReply, RESP_TYPES, WatchError } = load('redis');

const opened = [];
let protocol;  // 2 or 3: what connect() speaks
let r;         // the connection that the tests share

// RESP2 is node-redis' default and then goes without HELLO.
async function connect(options = {}) {
  const client = createClient({
    socket: { host, port },
    ...(protocol === 3 ? { RESP: 3 } : {}),
    ...options,
  });
  client.on('error', () => {});  // reconnect raises it as an event, and the commands tell
  opened.push(client);
  await client.connect();
  return client;
}

const members = (pairs) => pairs.map(([value, score]) => ({ value, score }));

async function handshake() {
  check('PING', await r.ping(), 'PONG');
  check('ECHO', await r.echo('hällo'), 'hällo');
  const named = await connect({ name: 'laurel-node', database: 0, RESP: protocol });
  check('the name given at connect', await named.clientGetName(), 'laurel-node');
  check('CLIENT SETNAME', await named.clientSetName('renamed'), 'OK');
  const id = await named.clientId();
  check('CLIENT LIST', (await r.clientList()).find((client) => client.id === id)?.name, 'renamed');
  check('CLIENT INFO', (await named.clientInfo()).name, 'renamed');
  check('SELECT 0', await named.sendCommand(['SELECT', '0']), 'OK');
  const hello = flatMap(await named.hello(protocol));
  check('HELLO', [hello.proto, hello.role, hello.id], [protocol, 'master', id]);
  await checkRejects('SELECT 99', ErrorReply, 'DB index is out of range', named.select(99));
  await checkRejects('HELLO 9', ErrorReply, 'NOPROTO', named.sendCommand(['HELLO', '9']));
  if (onLaurel) {
    check('CLIENT SETINFO', await named.sendCommand(['CLIENT', 'SETINFO', 'LIB-NAME', 'x']), 'OK');
    await checkRejects('SELECT 1', ErrorReply, 'DB index is out of range', named.select(1));
  }
  const info = await r.info();
  check('INFO loading', infoField(info, 'loading'), '0');
  check('INFO has a version', /^\d/.test(infoField(info, 'redis_version')), true);
  const [zadd, none] = await r.commandInfo(['zadd', 'nosuch']);
  check('COMMAND INFO', [zadd.name, zadd.arity, zadd.firstKeyIndex, none], ['zadd', -4, 1, null]);
  check('COMMAND COUNT', await r.commandCount(), (await r.command()).length);
  check('COMMAND GETKEYS', await r.commandGetKeys(['ZADD', 'z', '1', 'a']), ['z']);
  check('CONFIG GET', Object.keys(await r.configGet('maxmemory')), ['maxmemory']);
  named.destroy();
}

async function keys() {
  check('FLUSHALL', await r.flushAll(), 'OK');
  for (const key of ['k:1', 'k:2', 'other']) await r.zAdd(key, { score: 1, value: 'a' });
  check('DBSIZE', await r.dbSize(), 3);
  check('KEYS', (await r.keys('k:*')).sort(), ['k:1', 'k:2']);
  const found = [];
  for await (const page of r.scanIterator({ MATCH: 'k:*', COUNT: 1 })) found.push(...page);
  check('SCAN', found.sort(), ['k:1', 'k:2']);
  check('TYPE', await r.type('other'), 'zset');
  check('EXISTS', await r.exists(['k:1', 'k:1', 'none']), 2);
  check('RENAME', await r.rename('k:1', 'k:3'), 'OK');
  check('RENAMENX', await r.renameNX('k:3', 'k:2'), 0);
  check('COPY', await r.copy('k:3', 'k:4'), 1);
  check('UNLINK', await r.unlink(['k:3', 'k:4', 'none']), 2);
  check('GET of nothing', await r.get('none'), null);
  check('DEL', await r.del(['k:2', 'other']), 2);
}

async function zsetWrites() {
  check('ZADD', await r.zAdd('z', members([['a', 1], ['b', 2.5], ['c', -3]])), 3);
  check('ZADD NX', await r.zAdd('z', members([['a', 9], ['d', 4]]), { condition: 'NX' }), 1);
  check('ZADD XX CH',
    await r.zAdd('z', members([['a', 6], ['e', 4]]), { condition: 'XX', CH: true }), 1);
  check('ZADD GT CH',
    await r.zAdd('z', members([['a', 5], ['d', 7]]), { comparison: 'GT', CH: true }), 1);
  check('ZADD LT CH',
    await r.zAdd('z', members([['a', 5], ['d', 8]]), { comparison: 'LT', CH: true }), 1);
  check('ZADD INCR', await r.zAddIncr('z', { score: 0.5, value: 'a' }), 5.5);
  check('ZADD INCR that NX stops',
    await r.zAddIncr('z', { score: 1, value: 'a' }, { condition: 'NX' }), null);
  check('ZADD of infinities',
    await r.zAdd('z', members([['up', Infinity], ['down', -Infinity]])), 2);
  check('ZINCRBY', await r.zIncrBy('z', 2, 'a'), 7.5);
  check('ZINCRBY of a new member', await r.zIncrBy('z', -0.25, 'f'), -0.25);
  check('ZRANGE of it all', await r.zRangeWithScores('z', 0, -1), members([
    ['down', -Infinity], ['c', -3], ['f', -0.25], ['b', 2.5], ['d', 7], ['a', 7.5],
    ['up', Infinity],
  ]));
  check('ZREM', await r.zRem('z', ['up', 'down', 'none']), 2);
}

async function zsetReads() {
  check('ZCARD', await r.zCard('z'), 5);
  check('ZSCORE', await r.zScore('z', 'b'), 2.5);
  check('ZSCORE of nobody', await r.zScore('z', 'none'), null);
  check('ZMSCORE', await r.zmScore('z', ['a', 'none', 'c']), [7.5, null, -3]);
  check('ZRANK', await r.zRank('z', 'c'), 0);
  check('ZREVRANK', await r.zRevRank('z', 'c'), 4);
  check('ZREVRANK of nobody', await r.zRevRank('z', 'none'), null);
  const best = members([['a', 7.5], ['d', 7]]);
  check('ZRANGE REV', await r.zRangeWithScores('z', 0, 1, { REV: true }), best);
  check('ZRANGE BYSCORE', await r.zRange('z', '-inf', '(7', {
    BY: 'SCORE', LIMIT: { offset: 1, count: 5 },
  }), ['f', 'b']);
  check('ZRANGE BYSCORE REV', await r.zRange('z', 7, 0, { BY: 'SCORE', REV: true }), ['d', 'b']);
  check('ZCOUNT', await r.zCount('z', '(2.5', Infinity), 2);
  check('ZRANGEBYSCORE', await r.zRangeByScoreWithScores('z', -1, 7, {
    LIMIT: { offset: 1, count: 9 },
  }), members([['b', 2.5], ['d', 7]]));
  check('ZREVRANGE', await r.sendCommand(['ZREVRANGE', 'z', '0', '1']), ['a', 'd']);
  check('ZRANDMEMBER of all', (await r.zRandMemberCount('z', 9)).sort(), ['a', 'b', 'c', 'd', 'f']);
  check('ZRANDMEMBER WITHSCORES', (await r.zRandMemberCountWithScores('z', -7)).length, 7);
  await r.zAdd('lex', members([...'abcde'].map((member) => [member, 0])));
  check('ZRANGEBYLEX', await r.zRangeByLex('lex', '[b', '(e'), ['b', 'c', 'd']);
  check('ZRANGE BYLEX REV', await r.zRange('lex', '+', '(c', { BY: 'LEX', REV: true }), ['e', 'd']);
  check('ZLEXCOUNT', await r.zLexCount('lex', '-', '[c'), 3);
  check('ZREMRANGEBYLEX', await r.zRemRangeByLex('lex', '[b', '[d'), 3);
}

async function zsetRemovalsAndPops() {
  await r.zAdd('p', members(Array.from({ length: 10 }, (_, i) => [`m${i}`, i])));
  check('ZREMRANGEBYRANK', await r.zRemRangeByRank('p', 0, 1), 2);
  check('ZREMRANGEBYSCORE', await r.zRemRangeByScore('p', '(8', Infinity), 1);
  check('ZPOPMIN', await r.zPopMin('p'), { value: 'm2', score: 2 });
  check('ZPOPMAX of two', await r.zPopMaxCount('p', 2), members([['m8', 8], ['m7', 7]]));
  check('ZPOPMIN of nothing', await r.zPopMin('none'), null);
  check('ZMPOP', await r.zmPop(['none', 'p'], 'MIN', { COUNT: 2 }),
    { key: 'p', members: members([['m3', 3], ['m4', 4]]) });
  check('ZMPOP of nothing', await r.zmPop('none', 'MAX'), null);
}

async function zsetCombinations() {
  await r.zAdd('s1', members([['a', 1], ['b', 2]]));
  await r.zAdd('s2', members([['b', 3], ['c', 4]]));
  check('ZUNIONSTORE', await r.zUnionStore('u', ['s1', 's2']), 3);
  check('what it stored', await r.zRangeWithScores('u', 0, -1),
    members([['a', 1], ['c', 4], ['b', 5]]));
  check('ZUNIONSTORE WEIGHTS AGGREGATE', await r.zUnionStore('u', [
    { key: 's1', weight: 10 }, { key: 's2', weight: 1 },
  ], { AGGREGATE: 'MAX' }), 3);
  check('its scores', await r.zmScore('u', ['a', 'b', 'c']), [10, 20, 4]);
  check('ZINTERSTORE', await r.zInterStore('i', ['s1', 's2']), 1);
  check('ZDIFFSTORE', await r.zDiffStore('d', ['s1', 's2']), 1);
  check('ZRANGESTORE', await r.zRangeStore('r', 'u', 0, 1), 2);
  check('ZUNION', await r.zUnionWithScores(['s1', 's2'], { AGGREGATE: 'MIN' }),
    members([['a', 1], ['b', 2], ['c', 4]]));
  check('ZINTER', await r.zInterWithScores(['s1', 's2']), members([['b', 5]]));
  check('ZDIFF', await r.zDiffWithScores(['s1', 's2']), members([['a', 1]]));
  check('ZINTERCARD', await r.zInterCard(['s1', 's2']), 1);
}

async function zscan() {
  const expected = Array.from({ length: 1000 }, (_, i) => [`member:${i}`, i]);
  await r.zAdd('scan', members(expected));
  const found = new Map();
  for await (const page of r.zScanIterator('scan', { COUNT: 50 })) {
    for (const { value, score } of page) found.set(value, score);
  }
  check('ZSCAN', Object.fromEntries(found), Object.fromEntries(expected));
}

async function blockingPops() {
  check('BZPOPMIN that times out', await r.bzPopMin('queue', 0.01), null);
  const blocked = await connect();
  const pops = [
    ['bzPopMin', { key: 'queue', value: 'low', score: 1 },
      () => blocked.bzPopMin(['none', 'queue'], 0)],
    ['bzPopMax', { key: 'queue', value: 'high', score: 2 }, () => blocked.bzPopMax('queue', 0)],
    ['bzmPop', { key: 'queue', members: members([['low', 1], ['high', 2]]) },
      () => blocked.bzmPop(0, ['queue'], 'MIN', { COUNT: 9 })],
  ];
  for (const [name, expected, pop] of pops) {
    const popped = pop();
    await waitUntil('a blocked client',
      async () => infoField(await r.info('clients'), 'blocked_clients') === '1');
    await r.zAdd('queue', members([['low', 1], ['high', 2]]));
    check(name, await popped, expected);
    await r.del('queue');
  }
  blocked.destroy();
}

async function pipelines() {
  const writes = Array.from({ length: 5000 },
    (_, i) => r.zAdd('pipe', { score: i, value: `m${i}` }));
  const reads = [r.zCard('pipe'), r.zRevRank('pipe', 'm0'), r.zScore('pipe', 'm4999')];
  check('writes sent together', [...new Set(await Promise.all(writes))], [1]);
  check('reads behind them', await Promise.all(reads), [5000, 4999, 4999]);
  check('execAsPipeline', await r.multi().zScore('pipe', 'm1').zCard('pipe').execAsPipeline(),
    [1, 5000]);
}

async function transactions() {
  check('MULTI EXEC', await r.multi().zAdd('t', { score: 1, value: 'a' }).zIncrBy('t', 5, 'a')
    .zRangeWithScores('t', 0, -1).exec(), [1, 6, members([['a', 6]])]);
  const other = await connect();
  await r.watch('t');
  check('a read under WATCH', await r.zScore('t', 'a'), 6);
  await other.zAdd('t', { score: 7, value: 'a' });
  await checkRejects('EXEC after a change', WatchError, 'watched keys has been changed',
    r.multi().zAdd('t', { score: 100, value: 'a' }).exec());
  check('an aborted EXEC changed nothing', await r.zScore('t', 'a'), 7);
  await r.watch('t');
  check('EXEC without a change', await r.multi().zAdd('t', { score: 8, value: 'a' }).exec(), [0]);
  await r.watch('t');
  check('UNWATCH', await r.unwatch(), 'OK');
  await other.zAdd('t', { score: 9, value: 'a' });
  check('EXEC after UNWATCH', await r.multi().zCard('t').exec(), [1]);
  await checkRejects('EXEC with a command refused', ErrorReply, 'unknown command',
    r.multi().zAdd('t', { score: 99, value: 'a' }).addCommand(['NOSUCH']).exec());
  check('it changed nothing', await r.zScore('t', 'a'), 9);
  await checkRejects('EXEC with a command that fails', MultiErrorReply, '1 commands failed',
    r.multi().zAdd('t', { score: 10, value: 'a' }).get('t').exec());
  check('the others of it applied', await r.zScore('t', 'a'), 10);
  other.destroy();
}

async function expiry() {
  await r.zAdd('e', { score: 1, value: 'a' });
  check('TTL of a lasting key', await r.ttl('e'), -1);
  check('TTL of no key', await r.ttl('none'), -2);
  check('EXPIRE', await r.expire('e', 1000), 1);
  const ttl = await r.ttl('e');
  check('TTL', ttl > 0 && ttl <= 1000, true);
  check('EXPIRE NX', await r.expire('e', 50, 'NX'), 0);
  check('PERSIST', await r.persist('e'), 1);
  check('EXPIREAT', await r.expireAt('e', 4_000_000_000), 1);
  check('EXPIRETIME', await r.expireTime('e'), 4_000_000_000);
  check('PEXPIRE', await r.pExpire('e', 20), 1);
  await waitUntil('the end of an expired key', async () => (await r.exists('e')) === 0);
}

async function errors() {
  await r.zAdd('z', { score: 1, value: 'a' });
  await checkRejects('GET of a board', ErrorReply, 'WRONGTYPE', r.get('z'));
  await checkRejects('no number', ErrorReply, 'value is not a valid float',
    r.sendCommand(['ZADD', 'z', 'x', 'a']));
  await checkRejects('NaN', ErrorReply, 'not a valid float',
    r.zAdd('z', { score: NaN, value: 'a' }));
  await checkRejects('an unknown command', ErrorReply, 'unknown command',
    r.sendCommand(['NOSUCH']));
  await checkRejects('too few arguments', ErrorReply, 'wrong number of arguments',
    r.sendCommand(['ZADD', 'z']));
  await checkRejects('RENAME of nothing', ErrorReply, 'no such key', r.rename('none', 'x'));
  if (onLaurel) {
    await checkRejects('SET', ErrorReply, 'unknown command', r.set('a', 'b'));
    await checkRejects('EVAL', ErrorReply, 'no scripts here', r.eval('return 1'));
  }
  check('the connection after errors', await r.ping(), 'PONG');
}

async function binaryMembers() {
  const raw = r.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const values = [everyByte, Buffer.from('a\r\nb'), Buffer.from([0]), Buffer.from([255, 254]),
    Buffer.from('排行榜'), Buffer.alloc(1024, 'x')];
  await r.zAdd(everyByte, values.map((value, score) => ({ value, score })));
  check('binary members', await raw.zRange(everyByte, 0, -1), values);
  check('ZREVRANK of every byte', await r.zRevRank(everyByte, everyByte), 5);
  check('a member as text', await r.zScore(everyByte, '排行榜'), 4);
}

async function leaderboardCommands() {
  const lb = (...words) => r.sendCommand(words);
  check('LB.CREATE', await lb('LB.CREATE', 'best', 'POLICY', 'best'), 'OK');
  await checkRejects('LB.CREATE of another spec', ErrorReply, 'EXISTS',
    lb('LB.CREATE', 'best', 'POLICY', 'sum'));
  const raw = await lb('LB.SUBMIT', 'best', 'ann', '100');
  check('a verdict is an array in RESP2 and a map in RESP3', Array.isArray(raw), protocol === 2);
  const verdict = flatMap(raw);
  check('the first verdict', verdict, {
    status: 'accepted', rank: 1, previous_rank: null, score: ['100'], previous_score: null,
    stamp: verdict.stamp,
  });
  check('a stamp is a number', Number.isInteger(verdict.stamp) && verdict.stamp > 1.5e15, true);
  check('bob', flatMap(await lb('LB.SUBMIT', 'best', 'bob', '120')).rank, 1);
  check('not-best', flatMap(await lb('LB.SUBMIT', 'best', 'ann', '90')).status, 'not-best');
  const same = flatMap(await lb('LB.SUBMIT', 'best', 'ann', '100'));
  check('unchanged', [same.status, same.stamp], ['unchanged', verdict.stamp]);
  const better = flatMap(await lb('LB.SUBMIT', 'best', 'ann', '9223372036854775807'));
  check('the better verdict', [better.status, better.rank, better.previous_rank, better.score,
    better.previous_score], ['accepted', 1, 2, ['9223372036854775807'], ['100']]);
  const top = (await lb('LB.TOP', 'best', '10')).map(flatMap);
  check('LB.TOP', top.map((entry) => [entry.rank, entry.member, entry.score]),
    [[1, 'ann', ['9223372036854775807']], [2, 'bob', ['120']]]);
  check('its keys', Object.keys(top[0]), ['rank', 'member', 'score', 'stamp']);
  const entry = flatMap(await lb('LB.GET', 'best', 'bob'));
  check('LB.GET', [entry.rank, entry.score, entry.count], [2, ['120'], 2]);
  check('LB.GET of nobody', await lb('LB.GET', 'best', 'none'), null);
  await checkRejects('NOBOARD', ErrorReply, 'NOBOARD', lb('LB.TOP', 'none', '1'));
  await checkRejects('OVERFLOW', ErrorReply, 'OVERFLOW', lb('LB.INCR', 'best', 'ann', '1'));
  await checkRejects('BADSCORE', ErrorReply, 'BADSCORE',
    r.zAdd('best', { score: 95.5, value: 'ann' }));
  const text = r.withTypeMapping({ [RESP_TYPES.DOUBLE]: String });
  check('ZSCORE as text is exact', await text.zScore('best', 'ann'), '9223372036854775807');
  check('LB.DROP', await lb('LB.DROP', 'best'), 'OK');
}

async function doublesOnAnIntLeaderboard() {
  await r.sendCommand(['LB.CREATE', 'whole']);
  const scoreOf = async (member) => flatMap(await r.sendCommand(['LB.GET', 'whole', member])).score;
  for (const [value, score, text] of wholeNumbers) {
    check(`ZADD of ${score}`, await r.zAdd('whole', { score, value }), 1);
    check(`LB.GET after ${score}`, await scoreOf(value), [text]);
    check(`ZSCORE after ${score}`, await r.zScore('whole', value), Number(text));
  }
  check('ZINCRBY', await r.zIncrBy('whole', 5.0, 'a'), 100);
  check('ZADD INCR', await r.zAddIncr('whole', { score: 1e7, value: 'a' }), 10000100);
  check('LB.GET after both', await scoreOf('a'), ['10000100']);
  await checkRejects('a double beyond int64', ErrorReply, 'OVERFLOW',
    r.zAdd('whole', { score: 1e21, value: 'a' }));
}

async function firstComeAfterDelAndRename() {
  const play = async (expected) => {
    for (const [value, score] of seedScores) {
      check('ZADD lb', await r.zAdd('lb', { score, value }), 1);
    }
    check('ZRANGE REV', await r.zRangeWithScores('lb', 0, -1, { REV: true }), members(expected));
    check('ZREVRANGE', await r.sendCommand(['ZREVRANGE', 'lb', '0', '-1']),
      expected.map(([member]) => member));
  };
  await play(asInRedis);
  await r.del('lb');
  if (!onLaurel) return;
  check('LB.CREATE lb', await r.sendCommand(['LB.CREATE', 'lb']), 'OK');
  await play(firstCome);
  check('DEL lb', await r.del('lb'), 1);
  check('EXISTS of an empty leaderboard', await r.exists('lb'), 0);
  await play(firstCome);
  check('RENAME lb old', await r.rename('lb', 'old'), 'OK');
  await play(firstCome);
  check('ZRANGE old REV', await r.zRangeWithScores('old', 0, -1, { REV: true }),
    members(firstCome));
}

async function reconnect() {
  if (!canRestart) return console.log('nobody to restart the server: reconnect left out');
  const named = await connect({ name: 'survivor' });
  await named.zAdd('before', { score: 1, value: 'a' });
  const away = new Promise((resolve) => named.once('reconnecting', resolve));
  control('stop');
  await away;
  const queued = named.zAdd('after', { score: 1, value: 'a' });
  control('start');
  check('a command sent while the server was away', await queued, 1);
  check('what was acknowledged is still there', await named.exists('before'), 1);
  check('the name is set again', await named.clientGetName(), 'survivor');
  check('the other connection is back too', await r.zScore('after', 'a'), 1);
  const hello = flatMap(await named.sendCommand(['HELLO']));
  check('the protocol is the same again', hello.proto, protocol);
  named.destroy();
}

// Every test, once in each protocol, on an empty server.
const tests = [handshake, keys, zsetWrites, zsetReads, zsetRemovalsAndPops, zsetCombinations, zscan,
  blockingPops, pipelines, transactions, expiry, errors, binaryMembers,
  ...(onLaurel ? [leaderboardCommands, doublesOnAnIntLeaderboard] : []),
  firstComeAfterDelAndRename, reconnect];

function startOf(version) {
  return { async [`connectWithResp${version}`]() {
    protocol = version;
    r = await connect();
    await r.flushAll();
  } }[`connectWithResp${version}`];
}

async function quit() {
  for (const client of opened.filter((one) => one.isOpen)) await client.close();
}

await runAll('node-redis', [startOf(2), ...tests, startOf(3), ...tests, quit]);
