#include "transfer/text/byte_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

// Whether the path names an existing object that a rename must not replace.
bool IsSpecial(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

// Returns the folder of the file, for fsync.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::unique_ptr<ByteWriter>> ByteWriter::Open(const std::string& path) {
  if (path == "-") {
    return std::unique_ptr<ByteWriter>(new ByteWriter("standard output", "", STDOUT_FILENO));
  }
  const bool special = IsSpecial(path);
  const std::string part = special ? "" : path + ".part";
  const int flags = special ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC;
  const int file = open(special ? path.c_str() : part.c_str(), flags | O_CLOEXEC, 0666);
  if (file < 0) {
    return Error{ErrorCode::kErr,
                 "cannot open " + (special ? path : part) + ": " + std::strerror(errno)};
  }
  return std::unique_ptr<ByteWriter>(new ByteWriter(path, part, file));
}

ByteWriter::~ByteWriter() {
  if (file_ < 0) return;
  if (file_ != STDOUT_FILENO) close(file_);
  if (!part_.empty()) unlink(part_.c_str());
}

Status ByteWriter::Drain() {
  if (buffer_.size() < kWriteBytes) return Ok{};
  return WriteBuffer();
}

Status ByteWriter::WriteBuffer() {
  if (failure_) return *failure_;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      failure_ = Failed("write");
      return *failure_;
    }
    done += static_cast<std::size_t>(count);
  }
  buffer_.clear();
  return Ok{};
}

Status ByteWriter::Finish() {
  if (Status written = WriteBuffer(); !written.ok()) return written;
  if (part_.empty()) return Ok{};
  if (fsync(file_) != 0) return Failed("sync");
  if (std::rename(part_.c_str(), path_.c_str()) != 0) return Failed("rename");
  part_.clear();
  const int folder = open(FolderOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && fsync(folder) == 0;
  const int cause = errno;
  if (folder >= 0) close(folder);
  errno = cause;
  if (!synced) return Failed("sync the folder of");
  return Ok{};
}

Error ByteWriter::Failed(std::string_view what) const {
  const ErrorCode code = errno == ENOSPC || errno == EDQUOT ? ErrorCode::kNoSpace : ErrorCode::kErr;
  return {code, "cannot " + std::string(what) + " " + (part_.empty() ? path_ : part_) + ": " +
                    std::strerror(errno)};
}

}  // namespace laurel::transfer
