// ioredis against a live server: ioredis.mjs HOST PORT. See run.py for the environment.

import {
  asInRedis, canRestart, check, checkRejects, control, firstCome, flatMap, host, infoField, load,
  onLaurel, port, runAll, seedScores, waitUntil, wholeNumbers,
} from './check.mjs';

const { Redis, ReplyError } = load('ioredis');

// The ready check (INFO until it says loading:0) is on, as by default: `ready` comes after it.
function connect(options = {}) {
  const client = new Redis({ host, port, ...options });
  client.on('error', () => {});  // reconnect raises it as an event, and the commands tell
  return client;
}

const r = connect();
const flatten = (pairs) => pairs.flatMap(([member, score]) => [member, String(score)]);

async function handshake() {
  await new Promise((resolve) => (r.status === 'ready' ? resolve() : r.once('ready', resolve)));
  check('PING', await r.ping(), 'PONG');
  check('ECHO', await r.echo('hällo'), 'hällo');
  const named = connect({ connectionName: 'laurel-io', db: 0 });
  check('the name given at connect', await named.client('GETNAME'), 'laurel-io');
  check('CLIENT SETNAME', await named.client('SETNAME', 'renamed'), 'OK');
  const id = await named.client('ID');
  check('CLIENT LIST', new RegExp(`^id=${id} .*name=renamed `, 'm').test(await r.client('LIST')),
    true);
  check('SELECT 0', await named.select(0), 'OK');
  await checkRejects('SELECT 99', ReplyError, 'DB index is out of range', named.select(99));
  const hello = flatMap(await named.call('HELLO', '2'));
  check('HELLO', [hello.proto, hello.role, hello.id], [2, 'master', id]);
  if (onLaurel) {
    check('CLIENT SETINFO', await named.client('SETINFO', 'LIB-NAME', 'ioredis'), 'OK');
  }
  const info = await r.info();
  check('INFO loading', infoField(info, 'loading'), '0');
  check('INFO role', infoField(info, 'role'), 'master');
  check('COMMAND INFO', (await r.command('INFO', 'zadd'))[0].slice(0, 2), ['zadd', -4]);
  check('COMMAND COUNT', await r.command('COUNT'), (await r.command()).length);
  check('CONFIG GET', (await r.config('GET', 'maxmemory'))[0], 'maxmemory');
  check('TIME', (await r.time()).length, 2);
  check('QUIT', await named.quit(), 'OK');
}

async function keys() {
  check('FLUSHALL', await r.flushall(), 'OK');
  for (const key of ['k:1', 'k:2', 'other']) await r.zadd(key, 1, 'a');
  check('DBSIZE', await r.dbsize(), 3);
  check('KEYS', (await r.keys('k:*')).sort(), ['k:1', 'k:2']);
  const found = [];
  for await (const page of r.scanStream({ match: 'k:*', count: 1, type: 'zset' })) {
    found.push(...page);
  }
  check('SCAN', found.sort(), ['k:1', 'k:2']);
  check('TYPE', await r.type('other'), 'zset');
  check('EXISTS', await r.exists('k:1', 'k:1', 'none'), 2);
  check('RENAME', await r.rename('k:1', 'k:3'), 'OK');
  check('RENAMENX', await r.renamenx('k:3', 'k:2'), 0);
  check('COPY', await r.copy('k:3', 'k:4'), 1);
  check('UNLINK', await r.unlink('k:3', 'k:4', 'none'), 2);
  check('GET of nothing', await r.get('none'), null);
  check('DEL', await r.del('k:2', 'other'), 2);
  const prefixed = connect({ keyPrefix: 'app:' });
  await prefixed.zadd('z', 1, 'a');
  check('a key prefix', await r.keys('*'), ['app:z']);
  prefixed.disconnect();
}

async function zsetWrites() {
  check('ZADD', await r.zadd('z', 1, 'a', 2.5, 'b', -3, 'c'), 3);
  check('ZADD NX', await r.zadd('z', 'NX', 9, 'a', 4, 'd'), 1);
  check('ZADD XX CH', await r.zadd('z', 'XX', 'CH', 6, 'a', 4, 'e'), 1);
  check('ZADD GT CH', await r.zadd('z', 'GT', 'CH', 5, 'a', 7, 'd'), 1);
  check('ZADD LT CH', await r.zadd('z', 'LT', 'CH', 5, 'a', 8, 'd'), 1);
  check('ZADD INCR', await r.zadd('z', 'INCR', 0.5, 'a'), '5.5');
  check('ZADD INCR that NX stops', await r.zadd('z', 'NX', 'INCR', 1, 'a'), null);
  check('ZADD of infinities', await r.zadd('z', Infinity, 'up', -Infinity, 'down'), 2);
  check('ZINCRBY', await r.zincrby('z', 2, 'a'), '7.5');
  check('ZINCRBY of a new member', await r.zincrby('z', -0.25, 'f'), '-0.25');
  check('ZRANGE of it all', await r.zrange('z', 0, -1, 'WITHSCORES'), flatten([
    ['down', '-inf'], ['c', -3], ['f', -0.25], ['b', 2.5], ['d', 7], ['a', 7.5], ['up', 'inf'],
  ]));
  check('ZREM', await r.zrem('z', 'up', 'down', 'none'), 2);
}

async function zsetReads() {
  check('ZCARD', await r.zcard('z'), 5);
  check('ZSCORE', await r.zscore('z', 'b'), '2.5');
  check('ZSCORE of nobody', await r.zscore('z', 'none'), null);
  check('ZMSCORE', await r.zmscore('z', 'a', 'none', 'c'), ['7.5', null, '-3']);
  check('ZRANK', await r.zrank('z', 'c'), 0);
  check('ZREVRANK', await r.zrevrank('z', 'c'), 4);
  check('ZREVRANK of nobody', await r.zrevrank('z', 'none'), null);
  const best = ['a', '7.5', 'd', '7'];
  check('ZREVRANGE', await r.zrevrange('z', 0, 1, 'WITHSCORES'), best);
  check('ZRANGE REV', await r.zrange('z', 0, 1, 'REV', 'WITHSCORES'), best);
  check('ZRANGE BYSCORE', await r.zrange('z', '-inf', '(7', 'BYSCORE', 'LIMIT', 1, 5), ['f', 'b']);
  check('ZCOUNT', await r.zcount('z', '(2.5', '+inf'), 2);
  check('ZRANGEBYSCORE', await r.zrangebyscore('z', -1, 7, 'WITHSCORES', 'LIMIT', 1, 9),
    ['b', '2.5', 'd', '7']);
  check('ZREVRANGEBYSCORE', await r.zrevrangebyscore('z', '(7.5', '-inf', 'LIMIT', 0, 2),
    ['d', 'b']);
  check('ZRANDMEMBER of all', (await r.zrandmember('z', 9)).sort(), ['a', 'b', 'c', 'd', 'f']);
  await r.zadd('lex', 0, 'a', 0, 'b', 0, 'c', 0, 'd', 0, 'e');
  check('ZRANGEBYLEX', await r.zrangebylex('lex', '[b', '(e'), ['b', 'c', 'd']);
  check('ZREVRANGEBYLEX', await r.zrevrangebylex('lex', '+', '(c'), ['e', 'd']);
  check('ZLEXCOUNT', await r.zlexcount('lex', '-', '[c'), 3);
  check('ZREMRANGEBYLEX', await r.zremrangebylex('lex', '[b', '[d'), 3);
}

async function zsetRemovalsPopsAndCombinations() {
  for (let i = 0; i < 10; i++) await r.zadd('p', i, `m${i}`);
  check('ZREMRANGEBYRANK', await r.zremrangebyrank('p', 0, 1), 2);
  check('ZREMRANGEBYSCORE', await r.zremrangebyscore('p', '(8', '+inf'), 1);
  check('ZPOPMIN', await r.zpopmin('p'), ['m2', '2']);
  check('ZPOPMAX of two', await r.zpopmax('p', 2), ['m8', '8', 'm7', '7']);
  check('ZPOPMIN of nothing', await r.zpopmin('none'), []);
  check('ZMPOP', await r.zmpop(2, 'none', 'p', 'MIN', 'COUNT', 2),
    ['p', [['m3', '3'], ['m4', '4']]]);
  await r.zadd('s1', 1, 'a', 2, 'b');
  await r.zadd('s2', 3, 'b', 4, 'c');
  check('ZUNIONSTORE', await r.zunionstore('u', 2, 's1', 's2'), 3);
  check('what it stored', await r.zrange('u', 0, -1, 'WITHSCORES'), ['a', '1', 'c', '4', 'b', '5']);
  check('ZUNIONSTORE WEIGHTS AGGREGATE',
    await r.zunionstore('u', 2, 's1', 's2', 'WEIGHTS', 10, 1, 'AGGREGATE', 'MAX'), 3);
  check('its scores', await r.zmscore('u', 'a', 'b', 'c'), ['10', '20', '4']);
  check('ZINTERSTORE', await r.zinterstore('i', 2, 's1', 's2'), 1);
  check('ZDIFFSTORE', await r.zdiffstore('d', 2, 's1', 's2'), 1);
  check('ZRANGESTORE', await r.zrangestore('r', 'u', 0, 1), 2);
  check('ZUNION', await r.zunion(2, 's1', 's2', 'AGGREGATE', 'MIN', 'WITHSCORES'),
    ['a', '1', 'b', '2', 'c', '4']);
  check('ZINTER', await r.zinter(2, 's1', 's2', 'WITHSCORES'), ['b', '5']);
  check('ZDIFF', await r.zdiff(2, 's1', 's2', 'WITHSCORES'), ['a', '1']);
  check('ZINTERCARD', await r.zintercard(2, 's1', 's2'), 1);
}

async function zscan() {
  const pipeline = r.pipeline();
  for (let i = 0; i < 1000; i++) pipeline.zadd('scan', i, `member:${i}`);
  await pipeline.exec();
  const found = new Map();
  for await (const page of r.zscanStream('scan', { count: 50 })) {
    for (let i = 0; i < page.length; i += 2) found.set(page[i], page[i + 1]);
  }
  check('ZSCAN', Object.fromEntries(found),
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member:${i}`, String(i)])));
}

async function blockingPops() {
  check('BZPOPMIN that times out', await r.bzpopmin('queue', 0.01), null);
  const blocked = r.duplicate();
  for (const [pop, expected] of [['bzpopmin', 'low 1'], ['bzpopmax', 'high 2']]) {
    const popped = blocked[pop]('none', 'queue', 0);
    await waitUntil('a blocked client',
      async () => infoField(await r.info('clients'), 'blocked_clients') === '1');
    await r.zadd('queue', 1, 'low', 2, 'high');
    check(pop, await popped, ['queue', ...expected.split(' ')]);
    await r.del('queue');
  }
  blocked.disconnect();
}

async function pipelines() {
  const pipeline = r.pipeline();
  for (let i = 0; i < 5000; i++) pipeline.zadd('pipe', i, `m${i}`);
  pipeline.zcard('pipe').get('pipe').zscore('pipe', 'm4999');
  const replies = await pipeline.exec();
  const added = replies.slice(0, 5000).filter(([error, reply]) => error === null && reply === 1);
  check('a pipeline of writes', added.length, 5000);
  check('ZCARD behind them', replies[5000], [null, 5000]);
  check('an error in a pipeline', replies[5001][0] instanceof ReplyError, true);
  check('what follows an error', replies[5002], [null, '4999']);
  const auto = connect({ enableAutoPipelining: true });
  const numbers = Array.from({ length: 500 }, (_, i) => i);
  const ranks = await Promise.all(numbers.map((i) => auto.zrank('pipe', `m${i}`)));
  check('auto-pipelining', ranks, numbers);
  auto.disconnect();
}

async function transactions() {
  check('MULTI EXEC', await r.multi().zadd('t', 1, 'a').zincrby('t', 5, 'a').zcard('t').exec(),
    [[null, 1], [null, '6'], [null, 1]]);
  await r.watch('t');
  const other = r.duplicate();
  await other.zadd('t', 7, 'a');
  check('EXEC after a change', await r.multi().zadd('t', 100, 'a').exec(), null);
  check('an aborted EXEC changed nothing', await r.zscore('t', 'a'), '7');
  await r.watch('t');
  check('EXEC without a change', await r.multi().zadd('t', 8, 'a').exec(), [[null, 0]]);
  await r.multi({ pipeline: false });
  check('a command queued by hand', await r.zadd('t', 9, 'a'), 'QUEUED');
  check('DISCARD', await r.discard(), 'OK');
  check('it changed nothing', await r.zscore('t', 'a'), '8');
  await checkRejects('EXEC with a command refused', ReplyError, 'EXECABORT',
    r.multi().zadd('t', 99, 'a').call('NOSUCH').exec());
  const replies = await r.multi().zadd('t', 10, 'a').get('t').exec();
  check('a command that fails in EXEC', replies[1][0] instanceof ReplyError, true);
  check('the others of it applied', await r.zscore('t', 'a'), '10');
  other.disconnect();
}

async function expiry() {
  await r.zadd('e', 1, 'a');
  check('TTL of a lasting key', await r.ttl('e'), -1);
  check('TTL of no key', await r.ttl('none'), -2);
  check('EXPIRE', await r.expire('e', 1000), 1);
  const ttl = await r.ttl('e');
  check('TTL', ttl > 0 && ttl <= 1000, true);
  check('PERSIST', await r.persist('e'), 1);
  check('PEXPIREAT', await r.pexpireat('e', 4_000_000_000_000), 1);
  check('PEXPIRETIME', await r.pexpiretime('e'), 4_000_000_000_000);
  check('PEXPIRE', await r.pexpire('e', 20), 1);
  await waitUntil('the end of an expired key', async () => (await r.exists('e')) === 0);
}

async function errors() {
  await r.zadd('z', 1, 'a');
  await checkRejects('GET of a board', ReplyError, 'WRONGTYPE', r.get('z'));
  await checkRejects('no number', ReplyError, 'value is not a valid float', r.zadd('z', 'x', 'a'));
  await checkRejects('NaN', ReplyError, 'not a valid float', r.zadd('z', NaN, 'a'));
  await checkRejects('an unknown command', ReplyError, 'unknown command', r.call('NOSUCH'));
  await checkRejects('too few arguments', ReplyError, 'wrong number of arguments', r.zadd('z'));
  await checkRejects('RENAME of nothing', ReplyError, 'no such key', r.rename('none', 'x'));
  if (onLaurel) {
    await checkRejects('SET', ReplyError, 'unknown command', r.set('a', 'b'));
    r.defineCommand('script', { numberOfKeys: 1, lua: 'return 1' });
    await checkRejects('a defined script', ReplyError, 'no scripts here', r.script('z'));
  }
  check('the connection after errors', await r.ping(), 'PONG');
}

async function binaryMembers() {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const members = [everyByte, Buffer.from('a\r\nb'), Buffer.from([0]), Buffer.from([255, 254]),
    Buffer.from('排行榜'), Buffer.alloc(1024, 'x')];
  await r.zadd(everyByte, ...members.flatMap((member, score) => [score, member]));
  check('binary members', await r.zrangeBuffer(everyByte, 0, -1), members);
  check('ZREVRANK of every byte', await r.zrevrank(everyByte, everyByte), 5);
  check('a member as text', await r.zscore(everyByte, '排行榜'), '4');
}

async function leaderboardCommands() {
  const lb = (...words) => r.call(...words);
  check('LB.CREATE', await lb('LB.CREATE', 'best', 'POLICY', 'best'), 'OK');
  const verdict = flatMap(await lb('LB.SUBMIT', 'best', 'ann', 100));
  check('the first verdict', verdict, {
    status: 'accepted', rank: 1, previous_rank: null, score: ['100'], previous_score: null,
    stamp: verdict.stamp,
  });
  check('bob', flatMap(await lb('LB.SUBMIT', 'best', 'bob', 120)).rank, 1);
  check('not-best', flatMap(await lb('LB.SUBMIT', 'best', 'ann', 90)).status, 'not-best');
  const better = flatMap(await lb('LB.SUBMIT', 'best', 'ann', '9223372036854775807'));
  check('the better verdict', [better.status, better.rank, better.previous_rank, better.score,
    better.previous_score], ['accepted', 1, 2, ['9223372036854775807'], ['100']]);
  const top = (await lb('LB.TOP', 'best', 10)).map(flatMap);
  check('LB.TOP', top.map((entry) => [entry.rank, entry.member, entry.score]),
    [[1, 'ann', ['9223372036854775807']], [2, 'bob', ['120']]]);
  check('ZSCORE is exact', await r.zscore('best', 'ann'), '9223372036854775807');
  check('LB.GET of nobody', await lb('LB.GET', 'best', 'none'), null);
  await checkRejects('NOBOARD', ReplyError, 'NOBOARD', lb('LB.TOP', 'none', 1));
  await checkRejects('OVERFLOW', ReplyError, 'OVERFLOW', lb('LB.INCR', 'best', 'ann', 1));
  await checkRejects('BADSCORE', ReplyError, 'BADSCORE', r.zadd('best', 95.5, 'ann'));
  const replies = await r.pipeline().call('LB.SUBMIT', 'best', 'cid', 7)
    .zscore('best', 'cid').exec();
  check('LB.SUBMIT in a pipeline', [flatMap(replies[0][1]).rank, replies[1][1]], [3, '7']);
  const atomic = await r.multi().call('LB.INCR', 'best', 'cid', 3).zscore('best', 'cid').exec();
  check('LB.INCR in MULTI', [flatMap(atomic[0][1]).score, atomic[1][1]], [['10'], '10']);
  check('LB.DROP', await lb('LB.DROP', 'best'), 'OK');
}

async function doublesOnAnIntLeaderboard() {
  await r.call('LB.CREATE', 'whole');
  const scoreOf = async (member) => flatMap(await r.call('LB.GET', 'whole', member)).score;
  for (const [member, score, text] of wholeNumbers) {
    check(`ZADD of ${score}`, await r.zadd('whole', score, member), 1);
    check(`LB.GET after ${score}`, await scoreOf(member), [text]);
    check(`ZSCORE after ${score}`, await r.zscore('whole', member), text);
  }
  check('ZINCRBY', await r.zincrby('whole', 5.0, 'a'), '100');
  check('LB.GET after it', await scoreOf('a'), ['100']);
  await checkRejects('a double beyond int64', ReplyError, 'OVERFLOW', r.zadd('whole', 1e21, 'a'));
}

async function firstComeAfterDelAndRename() {
  const play = async (expected) => {
    for (const [member, score] of seedScores) {
      check('ZADD lb', await r.zadd('lb', score, member), 1);
    }
    check('ZREVRANGE', await r.zrevrange('lb', 0, -1, 'WITHSCORES'), flatten(expected));
  };
  await play(asInRedis);
  await r.del('lb');
  if (!onLaurel) return;
  check('LB.CREATE lb', await r.call('LB.CREATE', 'lb'), 'OK');
  await play(firstCome);
  check('DEL lb', await r.del('lb'), 1);
  await play(firstCome);
  check('RENAME lb old', await r.rename('lb', 'old'), 'OK');
  await play(firstCome);
  check('ZREVRANGE old', await r.zrevrange('old', 0, -1, 'WITHSCORES'), flatten(firstCome));
}

async function reconnect() {
  if (!canRestart) return console.log('nobody to restart the server: reconnect left out');
  const named = connect({ connectionName: 'survivor' });
  await named.zadd('before', 1, 'a');
  const away = new Promise((resolve) => named.once('reconnecting', resolve));
  control('stop');
  await away;
  const queued = named.zadd('after', 1, 'a');
  control('start');
  check('a command sent while the server was away', await queued, 1);
  check('what was acknowledged is still there', await named.exists('before'), 1);
  check('the name is set again', await named.client('GETNAME'), 'survivor');
  check('the other connection is back too', await r.zscore('after', 'a'), '1');
  check('QUIT', await named.quit(), 'OK');
}

await runAll('ioredis', [handshake, keys, zsetWrites, zsetReads, zsetRemovalsPopsAndCombinations,
  zscan, blockingPops, pipelines, transactions, expiry, errors, binaryMembers,
  ...(onLaurel ? [leaderboardCommands, doublesOnAnIntLeaderboard] : []),
  firstComeAfterDelAndRename, reconnect]);
