// What the rules let pass without params, of the protocol of Chromium 156. Each has been looked at: it is about the page
// alone. A protocol with others fails the test until they have been looked at, too.

/** Methods, by their domain. */
export const PASSES: Record<string, string> = {
  Accessibility:
    "disable enable getPartialAXTree getFullAXTree getRootAXNode getAXNodeAndAncestors getChildAXNodes " +
    "queryAXTree",
  Audits: "getEncodedResponse disable enable checkFormsIssues",
  CSS:
    "addRule collectClassNames createStyleSheet disable enable forcePseudoState forceStartingStyle " +
    "forcePositionTryOption getBackgroundColors getComputedStyleForNode resolveValues " +
    "getLonghandProperties getInlineStylesForNode getAnimatedStylesForNode getMatchedStylesForNode " +
    "getEnvironmentVariables getMediaQueries getPlatformFontsForNode getStyleSheetText getLayersForNode " +
    "getLocationForSelector trackComputedStyleUpdatesForNode trackComputedStyleUpdates " +
    "takeComputedStyleUpdates setEffectivePropertyValueForNode setPropertyRulePropertyName setKeyframeKey " +
    "setMediaText setContainerQueryText setContainerQueryConditionText setSupportsText setNavigationText " +
    "setScopeText setRuleSelector setStyleSheetText setStyleTexts startRuleUsageTracking " +
    "stopRuleUsageTracking takeCoverageDelta setLocalFontsEnabled",
  Console: "clearMessages disable enable",
  DOM:
    "collectClassNamesFromSubtree copyTo describeNode scrollIntoViewIfNeeded disable discardSearchResults " +
    "enable focus getAttributes getBoxModel getContentQuads getDocument getFlattenedDocument " +
    "getNodesForSubtreeByStyle getNodeForLocation getOuterHTML getRelayoutBoundary getSearchResults " +
    "hideHighlight highlightNode highlightRect markUndoableState moveTo performSearch " +
    "pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll " +
    "getTopLayerElements getElementByRelation redo removeAttribute removeNode requestChildNodes " +
    "requestNode resolveNode setAttributeValue setAttributesAsText setNodeStackTracesEnabled " +
    "getNodeStackTraces getDetachedDomNodes setInspectedNode setNodeName setNodeValue setOuterHTML undo " +
    "getFrameOwner getContainerForNode getQueryingDescendantsForContainer getAnchorElement " +
    "forceShowPopover getImplicitAnchorCandidates forceShowInterest setTextMarker clearTextMarkers",
  DOMDebugger:
    "getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeInstrumentationBreakpoint " +
    "removeXHRBreakpoint setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint " +
    "setInstrumentationBreakpoint setXHRBreakpoint",
  DOMSnapshot: "disable enable getSnapshot captureSnapshot",
  Debugger:
    "continueToLocation disable enable evaluateOnCallFrame getPossibleBreakpoints getScriptSource " +
    "disassembleWasmModule nextWasmDisassemblyChunk getWasmBytecode getStackTrace pause pauseOnAsyncCall " +
    "removeBreakpoint restartFrame resume searchInContent setAsyncCallStackDepth " +
    "setBlackboxExecutionContexts setBlackboxPatterns setBlackboxedRanges setBreakpoint " +
    "setInstrumentationBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive " +
    "setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses setVariableValue stepInto " +
    "stepOut stepOver",
  Emulation:
    "canEmulate clearDeviceMetricsOverride clearGeolocationOverride resetPageScaleFactor " +
    "setFocusEmulationEnabled setAutoDarkModeOverride setCPUThrottlingRate " +
    "setDefaultBackgroundColorOverride setSafeAreaInsetsOverride setVirtualKeyboardGeometryOverride " +
    "setDeviceMetricsOverride setDevicePostureOverride clearDevicePostureOverride " +
    "setDisplayFeaturesOverride clearDisplayFeaturesOverride setScrollbarsHidden " +
    "setDocumentCookieDisabled setEmitTouchEventsForMouse setEmulatedMedia setEmulatedVisionDeficiency " +
    "setEmulatedOSTextScale setGeolocationOverride getOverriddenSensorInformation " +
    "setSensorOverrideEnabled setSensorOverrideReadings setPressureSourceOverrideEnabled " +
    "setPressureStateOverride setIdleOverride clearIdleOverride setNavigatorOverrides setPageScaleFactor " +
    "setScriptExecutionDisabled setTouchEmulationEnabled setVirtualTimePolicy setLocaleOverride " +
    "setTimezoneOverride setVisibleSize setDisabledImageTypes setDataSaverOverride " +
    "setHardwareConcurrencyOverride setCPUPerformanceOverride setUserAgentOverride setAutomationOverride " +
    "setSmallViewportHeightDifferenceOverride",
  Fetch:
    "disable enable failRequest fulfillRequest continueRequest continueWithAuth continueResponse " +
    "getResponseBody takeResponseBodyAsStream",
  IO: "close read resolveBlob",
  Input:
    "dispatchDragEvent dispatchKeyEvent insertText imeSetComposition dispatchMouseEvent " +
    "dispatchTouchEvent cancelDragging emulateTouchFromMouseEvent setIgnoreInputEvents setInterceptDrags " +
    "synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture",
  Inspector: "disable enable",
  Log: "clear disable enable startViolationsReport stopViolationsReport",
  Network:
    "canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions disable " +
    "emulateNetworkConditions emulateNetworkConditionsByRule overrideNetworkState enable " +
    "configureDurableMessages getAllCookies getCertificate getCookies getResponseBody getRequestPostData " +
    "replayXHR searchInResponseBody setBlockedURLs setBypassServiceWorker setCacheDisabled " +
    "setExtraHTTPHeaders setAttachDebugStack setUserAgentOverride streamResourceContent " +
    "getSecurityIsolationStatus enableReportingApi fetchSchemefulSite",
  Overlay:
    "disable enable getHighlightObjectForTest getGridHighlightObjectsForTest " +
    "getSourceOrderHighlightObjectForTest hideHighlight highlightFrame highlightNode highlightQuad " +
    "highlightRect highlightSourceOrder setInspectMode setShowAdHighlights setPausedInDebuggerMessage " +
    "setShowDebugBorders setShowFPSCounter setShowGridOverlays setShowFlexOverlays " +
    "setShowScrollSnapOverlays setShowContainerQueryOverlays setShowInspectedElementAnchor " +
    "setShowPaintRects setShowLayoutShiftRegions setShowScrollBottleneckRects setShowHitTestBorders " +
    "setShowWebVitals setShowViewportSizeOnResize setShowHinge setShowDisplayCutout " +
    "setShowIsolatedElements setShowWindowControlsOverlay",
  Page:
    "addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot " +
    "captureSnapshot clearDeviceMetricsOverride clearDeviceOrientationOverride clearGeolocationOverride " +
    "createIsolatedWorld disable enable getAppManifest getInstallabilityErrors getManifestIcons getAppId " +
    "getAdScriptAncestry getSpellCheckCustomDictionary getFrameTree getLayoutMetrics getNavigationHistory " +
    "resetNavigationHistory getResourceContent getResourceTree handleJavaScriptDialog " +
    "navigateToHistoryEntry printToPDF reload removeScriptToEvaluateOnLoad " +
    "removeScriptToEvaluateOnNewDocument screencastFrameAck searchInResource setAdBlockingEnabled " +
    "setBypassCSP getPermissionsPolicyState getOriginTrials setDeviceMetricsOverride " +
    "setDeviceOrientationOverride setFontFamilies setFontSizes setDocumentContent setGeolocationOverride " +
    "setLifecycleEventsEnabled setTouchEmulationEnabled startScreencast startScreenRecording " +
    "stopScreenRecording stopLoading close setWebLifecycleState stopScreencast produceCompilationCache " +
    "addCompilationCache clearCompilationCache generateTestReport waitForDebugger " +
    "setInterceptFileChooserDialog setPrerenderingAllowed getAnnotatedPageContent setInputVisualization",
  Performance: "disable enable setTimeDomain getMetrics",
  Runtime:
    "awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getIsolateId " +
    "getHeapUsage getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup " +
    "runIfWaitingForDebugger runScript setAsyncCallStackDepth setCustomObjectFormatterEnabled " +
    "setMaxCallStackSizeToCapture terminateExecution addBinding removeBinding getExceptionDetails",
  Storage: "getCookies",
  Target: "setAutoAttach",
  WebAudio: "enable disable getRealtimeData",
};
