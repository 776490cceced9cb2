// Which browser it is, as it says before the page's scripts run.

const { vendor, platform } = navigator;

export const isFirefox = vendor === "";
export const isWebKit = vendor === "Apple Computer, Inc.";
export const isMac = platform.startsWith("Mac");
