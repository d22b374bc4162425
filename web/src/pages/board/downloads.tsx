// The page that is shown, or the top, as a file.
import { useState } from 'preact/hooks';
import { pageOf, readTogether, type Read } from '../../lib/api';
import { csvOf, download } from '../../lib/csv';
import { integer } from '../../lib/format';
import { t } from '../../lib/i18n';
import { Menu } from '../../ui/menu';
import { notifyError } from '../../ui/toasts';
import type { BoardView } from './view';

const topEntries = 10_000;
const readEntries = 1000; // the most that one read gives

interface DownloadsProps {
  view: BoardView;
  offset: number;
  size: number;
}

export function Downloads({ view, offset, size }: DownloadsProps) {
  const [busy, setBusy] = useState(false);
  const save = async (first: number, count: number) => {
    setBusy(true);
    try {
      // All reads are of one state, so no entry is missing or doubled between two of them.
      const reads: Read[] = [];
      for (let at = 0; at < count; at += readEntries) {
        const limit = Math.min(readEntries, count - at);
        reads.push({ read: 'entries', board: view.shown, offset: first + at, limit, meta: true });
      }
      const pages = (await readTogether(reads)).map(pageOf);
      const entries = pages.flatMap((page) => page.entries);
      download(`${fileName(view)}.csv`, csvOf(entries, view.board.fields));
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  return (
    <Menu
      label={busy ? t('working') : 'CSV'}
      title={t('downloadCsv')}
      items={[
        { text: t('csvPage'), run: () => void save(offset, size) },
        { text: t('csvTop', { n: integer(topEntries) }), run: () => void save(0, topEntries) },
      ]}
    />
  );
}

function fileName(view: BoardView): string {
  return view.shown.text.replace(/[^\p{L}\p{N}@._-]+/gu, '_').slice(0, 100) || 'board';
}
