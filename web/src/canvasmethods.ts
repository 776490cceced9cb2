// What canvases are read and painted by. Pages replace these methods, for example to see who takes a fingerprint.

/** The methods as they are now. */
export function takeCanvasMethods() {
  const { getContext, toBlob, toDataURL } = HTMLCanvasElement.prototype;
  const { drawImage, fillRect } = CanvasRenderingContext2D.prototype;
  type Draw = (image: CanvasImageSource, x: number, y: number, width: number, height: number) => void;
  return { getContext, toBlob, toDataURL, drawImage: drawImage as Draw, fillRect };
}
