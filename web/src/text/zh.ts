// 中文文本。键以 en.ts 为准。
import type { Texts } from './en';
import { boardTexts } from './zh_board';
import { formTexts } from './zh_form';
import { serverTexts } from './zh_server';

const texts: Texts = {
  ...boardTexts,
  ...formTexts,
  ...serverTexts,

  pages: '页面',
  boards: '排行榜',
  players: '查找玩家',
  templates: '模板',
  server: '服务器',
  skip: '跳到正文',
  theme: '浅色或深色',
  allBoards: '全部排行榜',
  noPage: '没有这个页面',

  loading: '正在加载……',
  working: '正在执行……',
  failed: '操作未成功',
  tryAgain: '重试',
  lostServer: '服务器没有响应',
  lostServerHelp: '页面会自动重试，服务器恢复后继续显示。',
  lostBanner: '服务器没有响应，页面正在自动重试。',
  loadingBanner: '服务器正在从磁盘读取排行榜，就绪后页面会继续。',
  unknownOutcome: '服务器没有回应，无法确定操作是否已执行。可以放心重试。',
  needToken: '此服务器需要令牌',
  needTokenHelp: '请用有读取权限的令牌登录。',
  noRight: '你的令牌没有这个权限',
  noRightHelp: '令牌的角色或排行榜名称模式不包含它，换一个令牌也许可以。',
  noBoard: '没有这个排行榜',
  noBoardHelp: '它可能已被删除或改名，也可能是名称写错了。名称必须完全一致。',
  sortedSet: '这是一个有序集合',
  sortedSetHelp: '控制台只显示排行榜。可以在有序集合列表里把它转换成排行榜。',
  serverLoads: '服务器正在启动',
  serverLoadsHelp: '正在从磁盘读取排行榜。',

  signIn: '登录',
  signOut: '退出登录',
  signInHelp:
    '请输入此服务器的令牌（用 `laurel token` 生成）。令牌只保存在当前标签页，只通过请求头发送。',
  token: '令牌',
  wrongToken: '服务器不认识这个令牌。',
  sessionHelp: '可访问的排行榜：{boards}',
  anonymous: '未登录',
  'role.read': '只读',
  'role.submit': '提交',
  'role.write': '写入',
  'role.admin': '管理',

  cancel: '取消',
  close: '关闭',
  undo: '撤销',
  dismiss: '关闭提示',
  copy: '复制',
  copied: '已复制',
  command: '对应命令',
  typeName: '请输入 {name} 以继续',

  emptyName: '（空名称）',
  notUtf8: '非 UTF-8',
  notUtf8Help: '这些字节不是 UTF-8。无法显示的部分已替换；操作使用原始字节。',
};

export default texts;
