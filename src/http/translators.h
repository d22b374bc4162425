// Functions that each translate the requests of a route into words. The table of routes refers to
// them.
#pragma once

#include <span>

#include "http/routes.h"

namespace laurel::http {

// Routes of boards and templates.
bool ListBoards(Translation& t);
bool CreateBoard(Translation& t);
bool AlterBoard(Translation& t);
bool ListTemplates(Translation& t);
bool GetTemplate(Translation& t);
bool SetTemplate(Translation& t);
bool DeleteTemplate(Translation& t);
// Uses the route's command, with the values of the path as its words.
bool PathOnly(Translation& t);

// Routes that write entries.
bool WriteEntries(Translation& t);
bool SetMeta(Translation& t);
bool RemoveMembers(Translation& t);
bool Pop(Translation& t);
bool Trim(Translation& t);

// Routes that read entries.
bool ListEntries(Translation& t);
bool GetEntry(Translation& t);
bool Around(Translation& t);
bool Among(Translation& t);
bool RankOf(Translation& t);
bool Count(Translation& t);
bool Between(Translation& t);
bool Percentile(Translation& t);
bool Quantile(Translation& t);
bool Histogram(Translation& t);
bool Changes(Translation& t);

// The properties of one item in the body of POST …/entries, /v1/submit and /v1/read.
std::span<const Property> EntryProperties();
std::span<const Property> SubmitProperties();
std::span<const Property> ReadProperties();

}  // namespace laurel::http
