// The error of the modules cdphub/agent and cdphub/host on a server. A server that renders an application imports
// them, too.

/** The error of a function that is called without a document. */
export function needsDocument(module: string, name: string): Error {
  return new Error(
    `${name} of ${module} needs a browser: there is no document here. A server may import ${module}, but calls ` +
      'nothing of it. Put the call under if (typeof document !== "undefined"), or into an effect such as useEffect.',
  );
}
