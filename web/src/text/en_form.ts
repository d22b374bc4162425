// English texts of the form for boards and templates.
export const formTexts = {
  // Pages.
  'form.createTitle': 'New board',
  'form.createIntro':
    'A name is enough: the board then ranks one whole number per member, and more is better. Everything else is an option.',
  'form.adoptTitle': 'Turn a sorted set into a board',
  'form.adoptIntro':
    'The sorted set becomes a leaderboard in one step. All members keep their scores and places; scores are exact from then on.',
  'form.editTitle': 'Settings of {name}',
  'form.settings': 'Settings',
  'form.back': 'Back to the board',
  'form.editIntro': 'Only what you change is sent.',
  'form.create': 'Create the board',
  'form.adopt': 'Turn into a board',
  'form.save': 'Save',
  'form.reset': 'Start again',
  'form.preview': 'What this declares',
  'form.asCommand': 'Command',
  'form.asCurl': 'The same with curl',
  'form.noChanges': 'Nothing is changed yet.',
  'form.created': 'The board {name} is created.',
  'form.adopted': '{name} is a leaderboard now.',
  'form.existedEqual':
    'There was a board {name} with the same settings already. Nothing has changed.',
  'form.altered': 'The settings of {name} are saved.',

  // Roles.
  'form.needsAdmin': 'Changing this needs the role admin',
  'form.needsAdminHelp': 'You have the role {role} on boards that match {boards}.',
  'form.needsAdminAll':
    'Templates concern new boards of any name: the token must be admin on all boards (*). You have the role {role} on boards that match {boards}.',
  'form.otherToken': 'Sign in with another token',

  // The name.
  'form.name': 'Name',
  'form.nameHelp':
    'Clients use this name in every call. Any text without @; case counts. A colon often separates parts: rank:2026.',
  'form.nameAdopted': 'The sorted set keeps its name.',
  'form.noName': 'The board needs a name.',
  'form.noPattern': 'The template needs a pattern.',
  'form.nameHasAt': 'A board’s name has no @: arena@day means the present day of the board arena.',
  'form.nameTooLong': 'This is longer than {n} bytes.',
  'form.nameHasNoPath': 'A browser cannot send this name. Use the command with redis-cli.',
  'form.nameOutside': 'Your token is for boards that match {boards}.',
  'form.exists': 'There is a board of this name with other settings.',
  'form.openBoard': 'Open that board',
  'form.isSortedSet': 'There is a sorted set of this name.',
  'form.adoptInstead': 'Turn it into a board',
  'form.nothingToAdopt': 'There is no sorted set of this name any more.',

  // Scores.
  'form.scores': 'Scores',
  'form.fields': 'Fields',
  'form.fieldsHelp':
    'A score has one value per field. Entries are ranked by the first field; at equal values the next field decides.',
  'form.fieldNumber': 'field {n}',
  'form.fieldFirst': 'Field {n} decides first',
  'form.fieldNext': 'Field {n} decides if all above are equal',
  'form.fieldName': 'Field name',
  'form.fieldType': 'Numbers',
  'form.fieldDirection': 'Better is',
  'form.fieldOperator': 'A new value',
  'form.addField': 'Add a field',
  'form.fieldCount': '{count} of at most {most}',
  'form.adoptOneField': 'A sorted set has one score, so the board has one field.',
  'form.noFieldName': 'The field needs a name.',
  'form.fieldNameSigns': 'No blanks, colons or control characters.',
  'form.fieldNameTwice': 'Two fields are called {name}.',
  'form.moveUp': 'Move {what} up',
  'form.moveDown': 'Move {what} down',
  'form.remove': 'Remove {what}',
  'type.int': 'whole numbers',
  'type.decimal1': '1 decimal',
  'type.decimal2': '2 decimals',
  'type.decimal3': '3 decimals',
  'type.decimal4': '4 decimals',
  'type.decimal5': '5 decimals',
  'type.decimal6': '6 decimals',
  'type.decimal7': '7 decimals',
  'type.decimal8': '8 decimals',
  'type.decimal9': '9 decimals',
  'direction.desc': 'more (desc)',
  'direction.asc': 'less (asc)',
  'operator.set': 'replaces (set)',
  'operator.sum': 'is added (sum)',
  'operator.max': 'counts if larger (max)',
  'operator.min': 'counts if smaller (min)',

  'form.rule': 'Policy',
  'form.ruleHelp': 'What a submit does for a member that has a score already.',
  'rule.set': 'Newest score (set)',
  'rule.setHelp':
    'The new score replaces the old one, even if it is worse. For high scores choose best.',
  'rule.best': 'Best score (best)',
  'rule.bestHelp':
    'The new score counts only if it ranks ahead of the old one; all fields are compared as a whole.',
  'rule.sum': 'Sum of all scores (sum)',
  'rule.sumHelp': 'The new values are added to the old ones: points, sales, votes.',
  'rule.operators': 'An operator for each field',
  'rule.operatorsHelp':
    'Each field has its own rule, chosen at the field above: for example points added, fastest time kept.',
  'form.ruleNoOperators': 'Operators belong to the fields, which cannot be changed.',
  'form.tie': 'Equal scores',
  'tie.first': 'Who was first is ahead (first)',
  'tie.firstHelp': 'The entry that reached the score earlier, to the microsecond.',
  'tie.last': 'Who was last is ahead (last)',
  'tie.lastHelp': 'The entry that reached the score later.',
  'tie.member': 'By member (member)',
  'tie.memberHelp': 'In the order of the members’ bytes, as in Redis; times do not matter.',
  'form.adoptTie': 'Not here: members would change places.',

  'form.fixed': 'Fixed since the board was created',
  'form.fixedHelp':
    'These decide how entries are stored and ordered, so they cannot be changed. For others, create a new board.',

  // The window.
  'form.window': 'Window',
  'form.windowHint': 'When scores are accepted, and when the board goes',
  'form.windowOfTemplate': 'Every board that the template makes gets these same moments.',
  'form.start': 'Start',
  'form.startHelp': 'Scores before this moment are refused. Empty: from now on.',
  'form.end': 'End',
  'form.endHelp':
    'Scores from this moment on are refused; reading, hiding and removing go on. Empty: no end.',
  'form.inYourZone': 'In your time zone, {zone}.',
  'form.sameMoment': 'The same moment: {time}',
  'form.fractionKept':
    'The exact time has {fraction} s more; it is kept unless you change the time.',
  'form.clear': 'Clear',
  'form.grace': 'Grace',
  'form.graceHelp':
    'How long after the end, or after the end of a period, scores that were reached before it may still arrive (writes with AT).',
  'form.graceNeeds': 'Needs an end or periods.',
  'form.graceNeedsEnd': 'Needs an end.',
  'form.expire': 'Expire',
  'form.expireHelp':
    'The board is dropped with all entries so long after its end; without an end, so long after its last accepted score. Empty: never.',
  'form.none': 'none',
  'form.unit': 'Unit of {what}',
  'unit.us': 'microseconds',
  'unit.ms': 'milliseconds',
  'unit.s': 'seconds',
  'unit.m': 'minutes',
  'unit.h': 'hours',
  'unit.d': 'days',
  'duration.us': '{n} microsecond|{n} microseconds',
  'duration.ms': '{n} millisecond|{n} milliseconds',
  'duration.s': '{n} second|{n} seconds',
  'duration.m': '{n} minute|{n} minutes',
  'duration.h': '{n} hour|{n} hours',
  'duration.d': '{n} day|{n} days',
  'form.endBeforeStart': 'The end must be later than the start.',
  'form.incomplete': 'This date or time is not complete.',

  // Periods.
  'form.periods': 'Periods',
  'form.periodsHint': 'A fresh ranking every hour, day, week or month',
  'form.whichPeriods': 'Which periods',
  'form.periodsHelp':
    'One submit feeds the present ranking of every period at once, and each begins anew by itself. Order matters: reading the board by its bare name reads the first.',
  'form.firstPeriod': 'read by the bare name',
  'form.adoptNoPeriods': 'A board made from a sorted set has no periods.',
  'period.hour': 'hour',
  'period.day': 'day',
  'period.week': 'week',
  'period.month': 'month',
  'period.all': 'all-time',
  'form.needsPeriods': 'Only for boards with periods.',
  'form.tz': 'Time zone',
  'form.tzHelp': 'Where a day begins: a name such as Asia/Shanghai. Daylight saving is included.',
  'form.useZone': 'Use {zone}',
  'form.turn': 'Turn',
  'form.turnHelp':
    'The local time at which a day, a week (on Monday) or a month begins. Games often use 05:00.',

  // Limits.
  'form.limits': 'Limits and memory',
  'form.limitsHint': 'How many entries, past periods and request ids are kept',
  'form.cap': 'Cap',
  'form.capHelp':
    'The board keeps only so many of the best entries and forgets the rest for good. Set it above the number that you show. With periods it holds for each ranking by itself. Empty: no cap.',
  'form.noCap': 'no cap',
  'form.capNotWithSum': 'Not with the policy sum: a member that falls out would lose its total.',
  'form.capNotWithOperators': 'Not with operators: a member that falls out would lose its total.',
  'form.capIsRemoved': 'Saving removes the cap.',
  'form.keep': 'Keep',
  'form.keepHelp':
    'How many past hours, days, weeks or months stay readable with all ranks, besides the present one. Older ones are dropped.',
  'form.dedup': 'Request ids',
  'form.dedupHelp':
    'A write with a request id counts once, however often it is repeated. The board remembers this many of the last ids, for at most 24 hours; 100,000 take about 10 MB. 0 refuses ids.',
  'form.notWhole': 'A whole number is needed here.',
  'form.tooMany': 'At most {most}.',
  'form.tooLong': 'At most a million days.',

  // Sending.
  'form.fixMarked':
    'One input needs a correction; it is marked.|{n} inputs need a correction; they are marked.',
  'form.unknownOutcome':
    'The server did not answer, so it is not known whether this was carried out. What you typed is still here. Sending it again is safe.',
  'form.loseTitle': 'Save, and lose data of {name}?',
  'form.limitTitle': 'Save the lower limits of {name}?',
  'form.capTakes':
    'The cap of {cap} removes one entry at once: the one that ranks last.|The cap of {cap} removes {n} entries at once: all that rank below place {cap}.',
  'form.capTakesInstances':
    'The cap of {cap} holds for each ranking: one entry is removed at once.|The cap of {cap} holds for each ranking, past ones included: {n} entries are removed at once.',
  'form.capTakesNone':
    'The cap of {cap} removes no entry now. From now on who falls below it is forgotten.',
  'form.keepDrops': 'One past ranking is dropped at once:|{n} past rankings are dropped at once:',
  'form.keepDropsNone': 'No past ranking is dropped now; later ones are dropped sooner.',
  'form.dedupForgets':
    'One request id is forgotten: if that write is repeated, it counts again.|{n} request ids are forgotten: if those writes are repeated, they count again.',
  'form.noUndo': 'This cannot be undone.',

  // Summaries of a spec.
  'sum.field': '{name}: {direction}',
  'sum.fieldDecimals':
    '{name} with one decimal: {direction}|{name} with {count} decimals: {direction}',
  'sum.desc': 'more is better',
  'sum.asc': 'less is better',
  'sum.then': ', then ',
  'sum.comma': ', ',
  'sum.policy.set': 'newest score counts',
  'sum.policy.best': 'best score counts',
  'sum.policy.sum': 'scores are added up',
  'sum.operator.set': '{name}: newest counts',
  'sum.operator.sum': '{name}: added up',
  'sum.operator.max': '{name}: largest counts',
  'sum.operator.min': '{name}: smallest counts',
  'sum.tie.first': 'ties: the earlier is ahead',
  'sum.tie.last': 'ties: the later is ahead',
  'sum.tie.member': 'ties: by member',
  'sum.cap': 'top {n} kept',
  'sum.window': 'open from {start} to {end}',
  'sum.start': 'open from {start}',
  'sum.end': 'open until {end}',
  'sum.grace': '{duration} of grace',
  'sum.expireAfterEnd': 'dropped {duration} after the end',
  'sum.expireAfterWrite': 'dropped {duration} after the last score',
  'sum.turn': 'turns {turn}',
  'sum.keep': '{n} past ranking kept|{n} past rankings kept',
  'sum.ids': '{n} request id remembered|{n} request ids remembered',
  'sum.noIds': 'no request ids',

  // Templates.
  'tpl.intro':
    'A template declares boards by a pattern of their names. The first score under a new name that matches makes a board with these settings, so code that makes up names as it goes needs no other call.',
  'tpl.editIntro':
    'Boards that exist stay as they are; boards made from now on get the new settings.',
  'tpl.order':
    'If several patterns match a name, the longest wins; of equally long ones, the first by bytes. The table is in this order.',
  'tpl.new': 'New template',
  'tpl.newTitle': 'New template',
  'tpl.editTitle': 'Edit a template',
  'tpl.all': 'All templates',
  'tpl.gone': 'There is no such template',
  'tpl.none': 'There are no templates yet',
  'tpl.noneHelp':
    'Without one, the first ZADD to a new name makes a sorted set as in Redis. With the template below, each new name that begins with rank: becomes a board that keeps the best 1,000.',
  'tpl.example': 'This then makes the board rank:202611 by itself',
  'tpl.pattern': 'Pattern',
  'tpl.patternHelp':
    '* is any text, ? one character, [abc] one of these; \\ before a sign takes it literally. For example rank:*',
  'tpl.patternFixed':
    'The pattern is what the template is known by. For another one, make a new template.',
  'tpl.exists': 'There is a template of this pattern already.',
  'tpl.editThat': 'Edit that template',
  'tpl.spec': 'New boards become',
  'tpl.actions': 'Actions',
  'tpl.edit': 'Edit',
  'tpl.delete': 'Delete',
  'tpl.deleteTitle': 'Delete the template {pattern}?',
  'tpl.deleteText':
    'Boards that it made stay as they are. A new name that matched it becomes what the next template says or, without one, a sorted set.',
  'tpl.deleted': 'The template {pattern} is deleted.',
  'tpl.restored': 'The template {pattern} is there again.',
  'tpl.saved': 'The template {pattern} is saved.',
};
