// Commands of the Runtime domain that few Clients send.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { originals } from "../base/originals";
import type { Session } from "../base/session";
import { impossible } from "../base/unsupported";
import { contextOfParams } from "./contexts";
import { prepare, run } from "./evaluate";
import { exceptionDetails } from "./exceptions";
import { getExceptionDetails, getProperties } from "./properties";

function heapUsage(): Protocol.Runtime.GetHeapUsageResponse {
  const m = (performance as unknown as { memory?: { usedJSHeapSize: number; totalJSHeapSize: number } }).memory;
  if (!m) throw new ProtocolError(impossible("Runtime.getHeapUsage", "this browser does not tell script"));
  return {
    usedSize: m.usedJSHeapSize,
    totalSize: m.totalJSHeapSize,
    embedderHeapUsedSize: 0,
    backingStorageSize: 0,
  };
}

/** The longest ArrayBuffer that V8 takes, in bytes, and more of them than it has addresses for. */
const HUGE = 2 ** 35 - 8;
const MANY = 64;
/** Elements that are only held by script, which are collected in the second pass, may hold more. */
const PASSES = 3;

/**
 * Collects what nothing holds any more. Script cannot ask for that, but before V8 says that there is no room for a
 * buffer it collects all that it can (Heap::AllocateExternalBackingStore). Nothing is written into the buffers, so
 * that they take no memory. A WeakRef tells whether it was so.
 */
async function collectGarbage(): Promise<void> {
  const witness = new WeakRef({});
  for (let pass = 0; pass < PASSES; pass++) {
    await nextTask(); // a WeakRef holds its object until its task ends (ECMA-262, "AddToKeptObjects")
    const held: ArrayBuffer[] = [];
    try {
      while (held.length < MANY) held.push(new ArrayBuffer(HUGE));
    } catch {
      // no room
    }
  }
  await nextTask();
  if (witness.deref())
    throw new ProtocolError(impossible("HeapProfiler.collectGarbage", "the engine keeps what script has left"));
}

const nextTask = (): Promise<unknown> => new Promise((resolve) => originals.setTimeout(resolve, 0));

/** Compiles a program without running it, and reports its syntax error. */
async function compile(
  p: Protocol.Runtime.CompileScriptRequest,
  s: Session,
): Promise<Protocol.Runtime.CompileScriptResponse> {
  const c = contextOfParams(p);
  const win = c.frame.win ?? window;
  const text = `(function(){${p.expression}\n})`;
  await prepare(win, [text]);
  try {
    run(win, text);
    return {};
  } catch (e) {
    return { exceptionDetails: exceptionDetails(e, "Uncaught", c, s, {}) };
  }
}

register("Runtime", { getProperties, compileScript: compile, getHeapUsage: heapUsage, getExceptionDetails });
register("HeapProfiler", { collectGarbage });
