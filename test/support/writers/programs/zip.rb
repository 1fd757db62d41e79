require 'zip'
Zip.unicode_names = true
Zip::File.open(ARGV[0], Zip::File::CREATE) do |archive|
  Dir.glob('**/*').sort.each { |path| archive.add(path, path) }
end
