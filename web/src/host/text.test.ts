import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./fakes";
import { Text, enclose, open, plain, read } from "./text";

const always = (): boolean => true;

test("a message is opened to what its text says, wherever its members and strings are", () => {
  const hard = ['"', "\\", '\\"', ',"params":', '\\\\","params":{', "}", '{"', "\u2028", "\ud83d", ""];
  const values: unknown[] = [...hard, 1, null, true, hard, { params: hard, result: { error: 1 } }, {}];
  for (const before of values)
    for (const carried of values)
      for (const name of ["params", "result", "error"] as const)
        for (const after of [{}, { after: before }]) {
          const message = { id: 1, before, [name]: carried, ...after };
          const text = JSON.stringify(message);
          const got = open(text, always);
          const inside = got?.[name];
          if (!(inside instanceof Text)) assert.deepEqual(got, JSON.parse(text));
          else assert.equal(`${JSON.stringify({ ...got, [name]: 0 }).slice(0, -2)}${inside.text}}`, text);
        }
  assert.deepEqual(open('{"id":1,"params":{"a":1}}', always), { id: 1, params: new Text('{"a":1}') });
});

test("what is not an envelope with something in it is read as a whole", () => {
  const whole = [
    '{"params":{"a":1}}',
    '{"a":{"b":1,"params":2}}',
    '{"a":1,"params":{} }\n',
    '["a","params"]',
    '{"a":1}',
  ];
  for (const text of whole) assert.deepEqual(open(text, always), JSON.parse(text), text);
  assert.deepEqual(
    open('{"id":1,"params":{}}', () => false),
    { id: 1, params: {} },
  );
  for (const bad of ["", "{", "7", 7, undefined, '{"a":,"params":{}}', '"a,"params":{}}'])
    assert.equal(open(bad, always), undefined);
});

test("a message encloses text as it is, and objects as JSON", () => {
  assert.equal(enclose({ id: 1 }, "result", new Text('{ "a":1}')), '{"id":1,"result":{ "a":1}}');
  assert.equal(enclose({ id: 1 }, "params", { a: 1 }), '{"id":1,"params":{"a":1}}');
  for (const text of ["{}", "7", '{},"a":1', "", "null"]) assert.deepEqual(read(new Text(text)), {});
  assert.deepEqual(plain({ error: new Text('{"code":1,"message":"no"}') }), { error: { code: 1, message: "no" } });
});

/** A Host with a session of a relay that has accepted these features, and what it has sent to each side as text. */
function relayed(features: string[]): { toAgent: string[]; toHub: string[]; world: World } {
  const world = World.paired();
  const relay = world.relay(features);
  const agent = world.hello("doc1")!;
  const [toAgent, toHub]: string[][] = [[], []];
  agent.near.postMessage = (m) => void toAgent.push(m);
  relay.send = (m) => void toHub.push(m);
  const say = (text: string): void => relay.onmessage?.({ data: text });
  say('{"kind":"attached","sessionId":"S","targetId":"T"}');
  say('{"kind":"command","sessionId":"S","targetId":"T","id":7,"method":"Page.x","params":{ "a" : 1e2 }}');
  agent.postMessage('{"id":1,"sessionId":"S","result":{ "b" : 1e2 }}');
  agent.postMessage('{"method":"Page.y","sessionId":"S","params":{ "c" : 1e2 }}');
  agent.postMessage('{"method":"Page.y","params":{ "c" : 1e2 },"sessionId":"S"}'); // an older agent
  agent.postMessage('{"method":"Page.y","sessionIds":["S"],"params":{},"opens":{}}');
  return { toAgent, toHub, world };
}

test("what messages carry goes from hub to agent and back as it is", () => {
  const { toAgent, toHub } = relayed(["sessions", "sessionIds", "payloadLast"]);
  assert.deepEqual(toAgent.slice(1), ['{"id":1,"method":"Page.x","sessionId":"S","params":{ "a" : 1e2 }}']);
  assert.deepEqual(toHub, [
    '{"kind":"response","sessionId":"S","id":7,"result":{ "b" : 1e2 }}',
    '{"kind":"event","targetId":"T","sessionId":"S","method":"Page.y","params":{ "c" : 1e2 }}',
    '{"kind":"event","targetId":"T","sessionId":"S","method":"Page.y","params":{"c":100}}',
    '{"kind":"event","targetId":"T","sessionId":"S","method":"Page.y","params":{},"opens":{}}', // which the hub refuses
  ]);
});

test("a hub that does not say where messages end gets what has been read", () => {
  const { toAgent, toHub } = relayed(["sessions", "sessionIds"]);
  assert.deepEqual(toAgent.slice(1), ['{"id":1,"method":"Page.x","sessionId":"S","params":{"a":100}}']);
  const event = '{"kind":"event","targetId":"T","sessionId":"S","method":"Page.y","params":';
  assert.deepEqual(toHub, [
    '{"kind":"response","sessionId":"S","id":7,"result":{"b":100}}',
    `${event}{"c":100}}`,
    `${event}{"c":100}}`,
    `${event}{}}`,
  ]);
});

test("an address that an event tells is read, and another text of it goes no further", () => {
  const { toHub, world } = relayed(["sessions", "payloadLast"]);
  const agent = world.welcomes().pop()?.port as unknown as { postMessage(text: string): void };
  toHub.length = 0;
  const tell = (params: string): void =>
    agent.postMessage(`{"method":"Page.frameNavigated","sessionId":"S","params":${params}}`);
  tell('{"frame":{"id":"T","url":"http://other/"}}');
  tell('{"frame":{"id":"T","url":"http://other/","url":"http://app/"}}');
  assert.deepEqual(toHub, [
    '{"kind":"event","targetId":"T","sessionId":"S","method":"Page.frameNavigated","params":{"frame":{"id":"T","url":"http://app/"}}}',
  ]);
});
