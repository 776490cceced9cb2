// Who answers which method. Made by `go generate ./internal/docgen` from internal/methods/methods.txt.

/** The parts of agent.js, and the methods that each carries out. "DOM.*" are all that no other part has. */
export const PARTS: Record<string, string> = {
  "accessibility.js": "Accessibility.*",
  "dom.js": "CSS.getComputedStyleForNode DOM.* DOMSnapshot.* Emulation.setDefaultBackgroundColorOverride Page.captureScreenshot,getLayoutMetrics,screencastFrameAck,startScreencast,stopScreencast Performance.*",
  "extras.js": "DOM.collectClassNamesFromSubtree,copyTo,discardSearchResults,getOuterHTML,getSearchResults,moveTo,performSearch,removeAttribute,removeNode,setAttributeValue,setAttributesAsText,setFileInputFiles,setInspectedNode,setNodeName,setNodeValue,setOuterHTML DOMStorage.clear,getDOMStorageItems,removeDOMStorageItem,setDOMStorageItem Emulation.clearGeolocationOverride,setGeolocationOverride,setTouchEmulationEnabled HeapProfiler.collectGarbage Network.clearBrowserCookies,deleteCookies,getAllCookies,getCookies,getRequestPostData,getResponseBody,setCookie,setCookies,setUserAgentOverride Runtime.compileScript,getExceptionDetails,getHeapUsage,getProperties Storage.clearCookies,getCookies,getStorageKey,getStorageKeyForFrame,setCookies",
  "input.js": "Input.*",
  "network.js": "Fetch.*",
};

/** Methods that agent.js and its parts refuse, at least for some params, by the reason. */
export const REFUSED: Record<string, string> = {
  "authentication belongs to the browser": "Fetch.continueWithAuth",
  "downloads belong to the embedding browser": "Page.setDownloadBehavior",
  "frames share the storage of the embedding browser": "Target.createBrowserContext",
  "needs the browser process": "DOM.getNodeStackTraces,getNodesForSubtreeByStyle Emulation.setCPUThrottlingRate,setEmitTouchEventsForMouse,setEmulatedMedia,setEmulatedVisionDeficiency,setHardwareConcurrencyOverride,setIdleOverride,setLocaleOverride,setScriptExecutionDisabled,setScrollbarsHidden,setTimezoneOverride HeapProfiler.addInspectedHeapObject,disable,enable,getHeapObjectId,getObjectByHeapObjectId,getSamplingProfile,startSampling,startTrackingHeapObjects,stopSampling,stopTrackingHeapObjects,takeHeapSnapshot IO.* Page.captureSnapshot Profiler.* Runtime.queryObjects,setCustomObjectFormatterEnabled,terminateExecution Tracing.*",
  "page script cannot keep what is compiled": "Runtime.compileScript",
  "page script cannot list what let, const and class declare": "Runtime.globalLexicalScopeNames",
  "page script cannot print to a file": "Page.printToPDF",
  "page script cannot see paths": "DOM.getFileInfo",
  "page script has one clock": "Performance.setTimeDomain",
  "page script keeps no history of what commands change": "DOM.markUndoableState,redo,undo",
  "permissions belong to the embedding browser": "Browser.grantPermissions,resetPermissions,setPermission",
  "request headers belong to the browser": "Emulation.setUserAgentOverride Network.setExtraHTTPHeaders",
  "service workers belong to the browser": "Network.setBypassServiceWorker",
  "the IO domain needs the browser process": "Fetch.takeResponseBodyAsStream",
  "the browser's own input reaches the page first": "Input.setIgnoreInputEvents",
  "the engine decides what stacks have": "Runtime.setAsyncCallStackDepth,setMaxCallStackSizeToCapture",
  "the network belongs to the browser": "Network.clearBrowserCache,emulateNetworkConditions,setBlockedURLs",
  "the policy belongs to the response": "Page.setBypassCSP",
};

/** Methods that agent.js answers with success although nothing is done. */
export const INERT =
  "Accessibility.disable,enable Audits.disable,enable DOMSnapshot.disable,enable Emulation.clearIdleOverride Inspector.disable,enable Log.startViolationsReport,stopViolationsReport Network.setAttachDebugStack,setCacheDisabled Page.setFontFamilies,setPrerenderingAllowed Runtime.runIfWaitingForDebugger Security.disable,enable,setIgnoreCertificateErrors Target.setDiscoverTargets";

/** The methods of devtools.js. */
export const DEVTOOLS =
  "Autofill.* CSS.* CacheStorage.* DOM.getTopLayerElements DOMDebugger.setBreakOnCSPViolation DOMStorage.* Debugger.* IndexedDB.* Overlay.* Page.getAppId,getAppManifest,getInstallabilityErrors,getResourceContent,getResourceTree,searchInResource,setAdBlockingEnabled ServiceWorker.* Storage.clearDataForOrigin,clearDataForStorageKey,getUsageAndQuota,trackCacheStorageForOrigin,trackCacheStorageForStorageKey,trackIndexedDBForOrigin,trackIndexedDBForStorageKey,untrackCacheStorageForOrigin,untrackCacheStorageForStorageKey,untrackIndexedDBForOrigin,untrackIndexedDBForStorageKey";

/** Methods that devtools.js refuses, at least for some params, by the reason. */
export const DEVTOOLS_REFUSED: Record<string, string> = {
  "needs the browser process": "Autofill.setAddresses",
  "script cannot change what the engine has compiled": "Debugger.setScriptSource",
  "script cannot put an element into a state such as :active": "CSS.forcePseudoState",
  "script cannot stop at a line": "DOMDebugger.setBreakOnCSPViolation",
  "script cannot stop at a line, so there are no breakpoints": "Debugger.continueToLocation,evaluateOnCallFrame,pause,removeBreakpoint,restartFrame,resume,setBreakpoint,setBreakpointByUrl,setBreakpointOnFunctionCall,setInstrumentationBreakpoint,setPauseOnExceptions,setReturnValue,setVariableValue,stepInto,stepOut,stepOver",
  "script does not learn what the browser paints, and when": "Overlay.setPausedInDebuggerMessage,setShowAdHighlights,setShowContainerQueryOverlays,setShowDebugBorders,setShowFPSCounter,setShowFlexOverlays,setShowGridOverlays,setShowHinge,setShowHitTestBorders,setShowIsolatedElements,setShowLayoutShiftRegions,setShowPaintRects,setShowScrollBottleneckRects,setShowScrollSnapOverlays,setShowWebVitals",
  "script is not told which installed font the browser has chosen": "CSS.getPlatformFontsForNode",
  "the engine decides what stacks have": "Debugger.setAsyncCallStackDepth",
  "the network belongs to the browser": "Page.setAdBlockingEnabled",
};

/** Methods that devtools.js answers with success although nothing is done. */
export const DEVTOOLS_INERT =
  "Autofill.disable,enable,setAddresses DOMDebugger.setBreakOnCSPViolation Debugger.getPossibleBreakpoints,setBlackboxExecutionContexts,setBlackboxPatterns,setBlackboxedRanges,setBreakpointsActive,setPauseOnExceptions,setSkipAllPauses Overlay.setPausedInDebuggerMessage,setShowContainerQueryOverlays,setShowFlexOverlays,setShowGridOverlays,setShowHinge,setShowIsolatedElements,setShowScrollSnapOverlays,setShowViewportSizeOnResize Page.getAppId";

/** Methods that the agent of the page answers in a session on a worker. */
export const IN_WORKERS =
  "Network.disable,emulateNetworkConditions,enable,getRequestPostData,getResponseBody,setAttachDebugStack,setBypassServiceWorker,setCacheDisabled,setExtraHTTPHeaders Runtime.runIfWaitingForDebugger Target.setAutoAttach";

/** Methods that each program carries out. */
export interface Handled {
  "accessibility.js": "Accessibility.getAXNodeAndAncestors" | "Accessibility.getChildAXNodes" | "Accessibility.getFullAXTree" | "Accessibility.getPartialAXTree" | "Accessibility.getRootAXNode" | "Accessibility.queryAXTree";
  "agent.js": "Emulation.setEmulatedMedia" | "Emulation.setFocusEmulationEnabled" | "Log.clear" | "Log.disable" | "Log.enable" | "Network.disable" | "Network.enable" | "Page.addScriptToEvaluateOnNewDocument" | "Page.bringToFront" | "Page.close" | "Page.createIsolatedWorld" | "Page.disable" | "Page.enable" | "Page.getFrameTree" | "Page.getNavigationHistory" | "Page.handleJavaScriptDialog" | "Page.navigate" | "Page.navigateToHistoryEntry" | "Page.reload" | "Page.removeScriptToEvaluateOnNewDocument" | "Page.setDocumentContent" | "Page.setInterceptFileChooserDialog" | "Page.setLifecycleEventsEnabled" | "Page.stopLoading" | "Runtime.addBinding" | "Runtime.awaitPromise" | "Runtime.callFunctionOn" | "Runtime.disable" | "Runtime.discardConsoleEntries" | "Runtime.enable" | "Runtime.evaluate" | "Runtime.getIsolateId" | "Runtime.releaseObject" | "Runtime.releaseObjectGroup" | "Runtime.removeBinding" | "Target.setAutoAttach";
  "devtools.js": "CSS.addRule" | "CSS.collectClassNames" | "CSS.createStyleSheet" | "CSS.disable" | "CSS.enable" | "CSS.getBackgroundColors" | "CSS.getInlineStylesForNode" | "CSS.getMatchedStylesForNode" | "CSS.getMediaQueries" | "CSS.getStyleSheetText" | "CSS.setKeyframeKey" | "CSS.setMediaText" | "CSS.setRuleSelector" | "CSS.setStyleSheetText" | "CSS.setStyleTexts" | "CSS.takeComputedStyleUpdates" | "CSS.trackComputedStyleUpdates" | "CSS.trackComputedStyleUpdatesForNode" | "CacheStorage.deleteCache" | "CacheStorage.deleteEntry" | "CacheStorage.requestCacheNames" | "CacheStorage.requestCachedResponse" | "CacheStorage.requestEntries" | "DOM.getTopLayerElements" | "DOMStorage.disable" | "DOMStorage.enable" | "Debugger.disable" | "Debugger.enable" | "Debugger.getScriptSource" | "Debugger.searchInContent" | "IndexedDB.clearObjectStore" | "IndexedDB.deleteDatabase" | "IndexedDB.deleteObjectStoreEntries" | "IndexedDB.disable" | "IndexedDB.enable" | "IndexedDB.getMetadata" | "IndexedDB.requestData" | "IndexedDB.requestDatabase" | "IndexedDB.requestDatabaseNames" | "Overlay.disable" | "Overlay.enable" | "Overlay.hideHighlight" | "Overlay.highlightFrame" | "Overlay.highlightNode" | "Overlay.highlightQuad" | "Overlay.highlightRect" | "Overlay.setInspectMode" | "Page.getAppManifest" | "Page.getInstallabilityErrors" | "Page.getResourceContent" | "Page.getResourceTree" | "Page.searchInResource" | "ServiceWorker.disable" | "ServiceWorker.enable" | "ServiceWorker.unregister" | "Storage.clearDataForOrigin" | "Storage.clearDataForStorageKey" | "Storage.getUsageAndQuota" | "Storage.trackCacheStorageForOrigin" | "Storage.trackCacheStorageForStorageKey" | "Storage.trackIndexedDBForOrigin" | "Storage.trackIndexedDBForStorageKey" | "Storage.untrackCacheStorageForOrigin" | "Storage.untrackCacheStorageForStorageKey" | "Storage.untrackIndexedDBForOrigin" | "Storage.untrackIndexedDBForStorageKey";
  "dom.js": "CSS.getComputedStyleForNode" | "DOM.describeNode" | "DOM.disable" | "DOM.enable" | "DOM.focus" | "DOM.getAttributes" | "DOM.getBoxModel" | "DOM.getContentQuads" | "DOM.getDocument" | "DOM.getFlattenedDocument" | "DOM.getFrameOwner" | "DOM.getNodeForLocation" | "DOM.pushNodesByBackendIdsToFrontend" | "DOM.querySelector" | "DOM.querySelectorAll" | "DOM.requestChildNodes" | "DOM.requestNode" | "DOM.resolveNode" | "DOM.scrollIntoViewIfNeeded" | "DOMSnapshot.captureSnapshot" | "Emulation.setDefaultBackgroundColorOverride" | "Page.captureScreenshot" | "Page.getLayoutMetrics" | "Page.screencastFrameAck" | "Page.startScreencast" | "Page.stopScreencast" | "Performance.disable" | "Performance.enable" | "Performance.getMetrics";
  "extras.js": "DOM.collectClassNamesFromSubtree" | "DOM.copyTo" | "DOM.discardSearchResults" | "DOM.getOuterHTML" | "DOM.getSearchResults" | "DOM.moveTo" | "DOM.performSearch" | "DOM.removeAttribute" | "DOM.removeNode" | "DOM.setAttributeValue" | "DOM.setAttributesAsText" | "DOM.setFileInputFiles" | "DOM.setInspectedNode" | "DOM.setNodeName" | "DOM.setNodeValue" | "DOM.setOuterHTML" | "DOMStorage.clear" | "DOMStorage.getDOMStorageItems" | "DOMStorage.removeDOMStorageItem" | "DOMStorage.setDOMStorageItem" | "Emulation.clearGeolocationOverride" | "Emulation.setGeolocationOverride" | "Emulation.setTouchEmulationEnabled" | "HeapProfiler.collectGarbage" | "Network.clearBrowserCookies" | "Network.deleteCookies" | "Network.getAllCookies" | "Network.getCookies" | "Network.getRequestPostData" | "Network.getResponseBody" | "Network.setCookie" | "Network.setCookies" | "Network.setUserAgentOverride" | "Runtime.compileScript" | "Runtime.getExceptionDetails" | "Runtime.getHeapUsage" | "Runtime.getProperties" | "Storage.clearCookies" | "Storage.getCookies" | "Storage.getStorageKey" | "Storage.getStorageKeyForFrame" | "Storage.setCookies";
  "host": "Browser.getWindowBounds" | "Browser.getWindowForTarget" | "Emulation.clearDeviceMetricsOverride" | "Emulation.setDeviceMetricsOverride" | "Emulation.setEmulatedMedia" | "Page.bringToFront" | "Page.close" | "Page.navigate" | "Page.reload" | "Target.activateTarget" | "Target.closeTarget" | "Target.createTarget" | "Target.getTargetInfo" | "Target.setAutoAttach" | "Target.setDiscoverTargets";
  "host, without a session": "Browser.getWindowBounds" | "Browser.getWindowForTarget" | "Storage.clearCookies" | "Storage.getCookies" | "Storage.setCookies" | "Target.activateTarget" | "Target.closeTarget" | "Target.createTarget";
  "hub": "Browser.getVersion" | "CdpHub.cancelHandoff" | "CdpHub.getClients" | "CdpHub.grant" | "CdpHub.handoff" | "CdpHub.mayAct" | "CdpHub.revoke" | "Page.handleJavaScriptDialog" | "Target.activateTarget" | "Target.detachFromTarget" | "Target.getTargetInfo" | "Target.setAutoAttach" | "Target.setDiscoverTargets";
  "input.js": "Input.dispatchDragEvent" | "Input.dispatchKeyEvent" | "Input.dispatchMouseEvent" | "Input.dispatchTouchEvent" | "Input.insertText" | "Input.setInterceptDrags" | "Input.synthesizeTapGesture";
  "network.js": "Fetch.continueRequest" | "Fetch.continueResponse" | "Fetch.disable" | "Fetch.enable" | "Fetch.failRequest" | "Fetch.fulfillRequest" | "Fetch.getResponseBody";
  "worker.js": "Runtime.awaitPromise" | "Runtime.callFunctionOn" | "Runtime.disable" | "Runtime.discardConsoleEntries" | "Runtime.enable" | "Runtime.evaluate" | "Runtime.getExceptionDetails" | "Runtime.getIsolateId" | "Runtime.getProperties" | "Runtime.releaseObject" | "Runtime.releaseObjectGroup";
}
