// Commands of the Runtime domain that few Clients send.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
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
