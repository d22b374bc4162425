// A long line of somebody else's text: its beginning, and all of it on request.
import { visible } from '../../ui/code';

const shortLength = 48;

export function CutText({ text }: { text: string }) {
  const shown = visible(text);
  if (shown.length <= shortLength) {
    return (
      <code class="server-line">
        <bdi>{shown}</bdi>
      </code>
    );
  }
  return (
    <details class="server-cut">
      <summary>
        <code>
          <bdi>{shown}</bdi>
        </code>
      </summary>
    </details>
  );
}
