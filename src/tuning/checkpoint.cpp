#include "src/tuning/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <sys/file.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::chrono::milliseconds write_interval{100};
constexpr std::size_t max_file_size = std::size_t{1} << 31;

struct Line {
    std::size_t workload;
    std::size_t evaluation;
    double value;
};

std::optional<Line> parse(std::string_view text) {
    const auto [first, rest] = cut(text, ',');
    const auto [second, third] = cut(rest, ',');
    const auto workload = number_in<std::size_t>(first);
    const auto evaluation = number_in<std::size_t>(second);
    const auto value = number_in<double>(third);
    return workload && evaluation && value && !std::isnan(*value) ? std::optional(Line{*workload, *evaluation, *value})
                                                                  : std::nullopt;
}

std::string shortest(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

}  // namespace

Checkpoint::Checkpoint(const std::string& path, const std::string& run, std::size_t workloads, std::size_t evaluations)
    : path_(path),
      file_(std::fopen(path.c_str(), "a+e")),  // e: not for processes that this one starts
      restored_(workloads),
      last_write_(std::chrono::steady_clock::now()) {
    if (file_ == nullptr) {
        fail("opened");
    }
    refuse_if<InputError>(flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0, path_, ": in use by another run");
    restore(InputFile(path).read_all(max_file_size), run + '\n', workloads, evaluations);
}

Checkpoint::~Checkpoint() {
    if (keep_) {
        write_pending();
    } else {
        unlink(path_.c_str());
    }
}

void Checkpoint::restore(std::string_view text, const std::string& header, std::size_t workloads,
                         std::size_t evaluations) {
    // Places in the text are places in the file, unless that is packed or begins with a mark of its encoding.
    const bool is_plain = std::filesystem::file_size(path_) == text.size();
    if (is_plain && header.starts_with(text)) {  // the file is new, or a killed run left a part of its first line
        text = {};
    } else if (!is_plain || !text.starts_with(header)) {
        throw InputError(path_ +
                         ": line 1: expected a checkpoint of this program with the same options, platform and " +
                         "workloads; remove it to start anew");
    }
    std::size_t complete = std::min(header.size(), text.size());
    for (std::size_t number = 2; complete < text.size(); ++number) {
        const std::size_t end = text.find('\n', complete);
        if (end == std::string_view::npos) {
            break;
        }
        const std::optional<Line> line = parse(text.substr(complete, end - complete));
        refuse_if<InputError>(!line || line->workload >= workloads || line->evaluation >= evaluations, path_, ": line ",
                              number, ": expected workload,evaluation,value; remove the file to start anew");
        std::vector<double>& values = restored_[line->workload];
        if (values.size() <= line->evaluation) {
            values.resize(line->evaluation + 1, std::numeric_limits<double>::quiet_NaN());
        }
        found_ += std::isnan(values[line->evaluation]) ? 1U : 0U;
        values[line->evaluation] = line->value;
        keep_ = true;
        complete = end + 1;
    }
    if (ftruncate(fileno(file_.get()), static_cast<off_t>(complete)) != 0) {
        fail("written");
    }
    if (complete == 0) {
        pending_ = header;
        if (!write_pending()) {
            fail("written");
        }
    }
}

std::optional<double> Checkpoint::find(std::size_t workload, std::size_t evaluation) const {
    const std::vector<double>& values = restored_[workload];
    if (evaluation >= values.size() || std::isnan(values[evaluation])) {
        return std::nullopt;
    }
    return values[evaluation];
}

void Checkpoint::add(std::size_t workload, std::size_t evaluation, double value) {
    const std::lock_guard lock(mutex_);
    keep_ = true;
    pending_ += std::to_string(workload) + ',' + std::to_string(evaluation) + ',' + shortest(value) + '\n';
    const auto now = std::chrono::steady_clock::now();
    if (now - last_write_ >= write_interval) {
        last_write_ = now;
        if (!write_pending()) {
            fail("written");
        }
    }
}

bool Checkpoint::write_pending() {
    const bool written = std::fwrite(pending_.data(), 1, pending_.size(), file_.get()) == pending_.size() &&
                         std::fflush(file_.get()) == 0;
    pending_.clear();
    return written;
}

void Checkpoint::fail(const std::string& action) const {
    throw InputError(path_ + ": cannot be " + action + ": " + std::strerror(errno));
}

}  // namespace batfill
